/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* What MPI costs on whatever it runs on: medians, of single round trips and of rounds of the others, as lines
 * "NAME VALUE UNIT" of rank 0. With a number of bytes, only half of a round trip of so many. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 9, WINDOW = 64 };

static int rank, size;
static char* data;

static int ascending(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/* Microseconds of one call, of many. */
static double cost(void (*call)(int), int argument, int times) {
    double all[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double before = MPI_Wtime();
        for (int i = 0; i < times; i++)
            call(argument);
        all[round] = (MPI_Wtime() - before) / times * 1e6;
    }
    qsort(all, ROUNDS, sizeof *all, ascending);
    return all[ROUNDS / 2];
}

static void ping_pong(int length) {
    if (rank == 0) MPI_Send(data, length, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    if (rank < 2) MPI_Recv(data, length, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(data, length, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
}

static void window(int length) {
    MPI_Request requests[WINDOW];
    for (int i = 0; i < WINDOW && rank < 2; i++) {
        if (rank == 0)
            MPI_Isend(data, length, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[i]);
        else
            MPI_Irecv(data, length, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[i]);
    }
    if (rank < 2) MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
    if (rank == 1) MPI_Send(data, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(data, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void allreduce(int count) {
    double mine[1024] = {0}, all[1024];
    MPI_Allreduce(mine, all, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void half_round_trip(int length) {
    static double all[ROUNDS * 300];
    const int times = ROUNDS * (length < 65536 ? 300 : (16 << 20) / length);
    MPI_Barrier(MPI_COMM_WORLD);
    double before = MPI_Wtime();
    for (int i = 0; i < times; i++) {
        ping_pong(length);
        const double after = MPI_Wtime();
        all[i] = (after - before) * 1e6;
        before = after;
    }
    qsort(all, times, sizeof *all, ascending);
    if (rank == 0) printf("half_round_trip_%d %.3f us\n", length, all[times / 2] / 2);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    data = calloc(1, 4 << 20);
    cost(ping_pong, 8, 200);
    if (argc > 1) {
        half_round_trip(atoi(argv[1]));
    } else {
        for (int length = 8; length <= 4 << 20; length *= length < 4096 ? 8 : 4)
            half_round_trip(length);
        const double rate = WINDOW / cost(window, 8, 100),
                     bandwidth = (1 << 20) * 1.0 * WINDOW / cost(window, 1 << 20, 1);
        const double sum = cost(allreduce, 1, 300);
        if (rank == 0)
            printf("messages_8 %.3f M/s\nbandwidth_1M %.0f MB/s\nallreduce_8 %.2f us\n", rate, bandwidth,
                   sum);
    }
    MPI_Finalize();
    return 0;
}
