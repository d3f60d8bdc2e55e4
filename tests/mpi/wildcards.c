/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Receives from anybody, with any tag; probes, matched probes, cancelled receives, and messages to oneself.
 */
#include "check.h"

static void from_anybody(void) {
    enum { EACH = 200 };
    if (rank != 0) {
        for (int i = 0; i < EACH; i++) {
            const int said[2] = {rank, i};
            MPI_Send(said, 2, MPI_INT, 0, i % 5, MPI_COMM_WORLD);
        }
        return;
    }
    int* next = calloc(size, sizeof *next);
    for (int i = 0; i < EACH * (size - 1); i++) {
        int said[2];
        MPI_Status status;
        MPI_Recv(said, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        CHECK(said[0] == status.MPI_SOURCE && said[1] % 5 == status.MPI_TAG);
        CHECK(said[1] == next[said[0]]++);
    }
    free(next);
}

static void probes(int length) {
    unsigned char* data = malloc(length + 1);
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int kind = 0; kind < 4; kind++) {
        MPI_Request request;
        MPI_Status status;
        MPI_Message message;
        int found = 0, count = -1;
        unsigned char* said = malloc(length + 1);
        fill(said, length, rank);
        MPI_Isend(said, length, MPI_BYTE, next, 40 + kind, MPI_COMM_WORLD, &request);
        switch (kind) {
            case 0:
                MPI_Probe(before, 40, MPI_COMM_WORLD, &status);
                break;
            case 1:
                while (!found)
                    MPI_Iprobe(MPI_ANY_SOURCE, 41, MPI_COMM_WORLD, &found, &status);
                break;
            case 2:
                MPI_Mprobe(before, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
                break;
            default:
                while (!found)
                    MPI_Improbe(before, 43, MPI_COMM_WORLD, &found, &message, &status);
        }
        MPI_Get_count(&status, MPI_BYTE, &count);
        CHECK(count == length && status.MPI_SOURCE == before && status.MPI_TAG == 40 + kind);
        if (kind < 2)
            MPI_Recv(data, length, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
        else
            MPI_Mrecv(data, length, MPI_BYTE, &message, &status);
        CHECK(is_filled(data, length, before));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        free(said);
    }
    int found = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    CHECK(!found);
    MPI_Barrier(MPI_COMM_WORLD);
    free(data);
}

static void cancelled(void) {
    MPI_Request request;
    MPI_Status status;
    int was = 0, said = rank;
    MPI_Irecv(&was, 1, MPI_INT, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &was);
    CHECK(was);
    /* Nothing of it is left to take what comes now. */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Sendrecv(&said, 1, MPI_INT, (rank + 1) % size, 77, &was, 1, MPI_INT, (rank + size - 1) % size, 77,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(was == (rank + size - 1) % size);
}

static void to_oneself(int length) {
    unsigned char *said = malloc(length), *got = malloc(length);
    MPI_Request requests[2];
    fill(said, length, 5);
    for (int late = 0; late < 2; late++) {
        memset(got, 0, length);
        if (late) MPI_Isend(said, length, MPI_BYTE, rank, 3, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(got, length, MPI_BYTE, rank, 3, MPI_COMM_WORLD, &requests[1]);
        if (!late) MPI_Isend(said, length, MPI_BYTE, rank, 3, MPI_COMM_WORLD, &requests[0]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        CHECK(is_filled(got, length, 5));
    }
    free(said);
    free(got);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    from_anybody();
    MPI_Barrier(MPI_COMM_WORLD);
    probes(8);
    probes(5000);
    probes(300000);
    cancelled();
    to_oneself(16);
    to_oneself(2000);
    to_oneself(200000);
    return end();
}
