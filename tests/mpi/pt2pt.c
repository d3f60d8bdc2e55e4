/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Point to point, in all modes: lengths around every border there is, expected and not. */
#include "check.h"

static const int lengths[] = {0,    1,     8,     255,   256,   257,   1023,  1024,   1025,    1371,   1372,
                              1500, 16383, 16384, 16385, 32768, 32769, 65536, 100001, 1 << 20, 4 << 20};
#define COUNT ((int)(sizeof lengths / sizeof *lengths))

enum { STANDARD, SYNCHRONOUS, READY, BUFFERED, IMMEDIATE, MODES };

static void give(const unsigned char* data, int length, int to, int mode) {
    MPI_Request request;
    switch (mode) {
        case SYNCHRONOUS:
            MPI_Ssend(data, length, MPI_BYTE, to, mode, MPI_COMM_WORLD);
            break;
        case READY:
            MPI_Recv(NULL, 0, MPI_BYTE, to, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Rsend(data, length, MPI_BYTE, to, mode, MPI_COMM_WORLD);
            break;
        case BUFFERED:
            MPI_Bsend(data, length, MPI_BYTE, to, mode, MPI_COMM_WORLD);
            break;
        case IMMEDIATE:
            MPI_Isend(data, length, MPI_BYTE, to, mode, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            break;
        default:
            MPI_Send(data, length, MPI_BYTE, to, mode, MPI_COMM_WORLD);
    }
}

static void take(unsigned char* data, int length, int from, int mode) {
    MPI_Request request;
    MPI_Status status;
    int got = -1;
    MPI_Irecv(data, length, MPI_BYTE, from, mode, MPI_COMM_WORLD, &request);
    if (mode == READY) MPI_Send(NULL, 0, MPI_BYTE, from, 99, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_BYTE, &got);
    CHECK(got == length && status.MPI_SOURCE == from && status.MPI_TAG == mode);
    CHECK(is_filled(data, length, from + mode));
}

/* Many that nobody waits for, in their order; then one that is too long for its buffer. */
static void unexpected(unsigned char* data) {
    enum { MANY = 3000 };
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Request* requests = malloc(MANY * sizeof *requests);
    int* numbers = malloc(MANY * sizeof *numbers);
    for (int i = 0; i < MANY; i++) {
        numbers[i] = i;
        MPI_Isend(&numbers[i], 1, MPI_INT, next, 7, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < MANY; i++) {
        int got = -1;
        MPI_Recv(&got, 1, MPI_INT, before, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(got == i);
    }
    MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
    for (int length = 1000; length <= 100000; length *= 100) {
        for (int late = 0; late < 2; late++) {
            MPI_Request request;
            if (!late) MPI_Irecv(data, length / 2, MPI_BYTE, before, 8, MPI_COMM_WORLD, &requests[0]);
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Isend(data + length, length, MPI_BYTE, next, 8, MPI_COMM_WORLD, &request);
            MPI_Barrier(MPI_COMM_WORLD);
            if (late) MPI_Irecv(data, length / 2, MPI_BYTE, before, 8, MPI_COMM_WORLD, &requests[0]);
            int class = MPI_SUCCESS;
            MPI_Error_class(MPI_Wait(&requests[0], MPI_STATUS_IGNORE), &class);
            CHECK(class == MPI_ERR_TRUNCATE);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    free(requests);
    free(numbers);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    unsigned char* data = malloc(8 << 20);
    const int room = (4 << 20) + MPI_BSEND_OVERHEAD + 64;
    void* buffer = malloc(room);
    MPI_Buffer_attach(buffer, room);
    for (int mode = 0; mode < MODES; mode++) {
        for (int i = 0; i < COUNT; i++) {
            const int pair = rank ^ 1;
            if (pair >= size) continue;
            for (int turn = 0; turn < 2; turn++) {
                if ((rank & 1) == turn) {
                    fill(data, lengths[i], rank + mode);
                    give(data, lengths[i], pair, mode);
                    memset(data, 0, lengths[i] > 64 ? 64 : 0);
                } else {
                    take(data, lengths[i], pair, mode);
                }
                if (mode == BUFFERED) {
                    int ignored;
                    void* back;
                    MPI_Buffer_detach(&back, &ignored);
                    MPI_Buffer_attach(buffer, room);
                }
            }
        }
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    unexpected(data);
    free(data);
    return end();
}
