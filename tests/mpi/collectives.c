/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Every collective, with lengths for each way a library has of doing it. */
#include "check.h"

static void reductions(int count) {
    double *mine = malloc(count * sizeof *mine), *all = malloc(count * sizeof *all);
    for (int i = 0; i < count; i++)
        mine[i] = rank + i;
    MPI_Allreduce(mine, all, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++)
        CHECK(all[i] == size * (size - 1) / 2 + (double)size * i);
    MPI_Reduce(mine, all, count, MPI_DOUBLE, MPI_MAX, size - 1, MPI_COMM_WORLD);
    for (int i = 0; rank == size - 1 && i < count; i++)
        CHECK(all[i] == size - 1 + i);
    MPI_Scan(mine, all, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++)
        CHECK(all[i] == rank * (rank + 1) / 2 + (double)(rank + 1) * i);
    free(mine);
    free(all);
}

static void exchanges(int length) {
    unsigned char *mine = malloc((size_t)length * size), *all = malloc((size_t)length * size);
    if (rank == 1) fill(mine, length, 9);
    MPI_Bcast(mine, length, MPI_BYTE, 1, MPI_COMM_WORLD);
    CHECK(is_filled(mine, length, 9));
    fill(mine, length, rank);
    MPI_Allgather(mine, length, MPI_BYTE, all, length, MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        CHECK(is_filled(all + (size_t)i * length, length, i));
    memset(all, 0, (size_t)length * size);
    MPI_Gather(mine, length, MPI_BYTE, all, length, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; i++)
        CHECK(is_filled(all + (size_t)i * length, length, i));
    MPI_Scatter(all, length, MPI_BYTE, mine, length, MPI_BYTE, 0, MPI_COMM_WORLD);
    CHECK(is_filled(mine, length, rank));
    for (int i = 0; i < size; i++)
        fill(mine + (size_t)i * length, length, rank * 100 + i);
    MPI_Alltoall(mine, length, MPI_BYTE, all, length, MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        CHECK(is_filled(all + (size_t)i * length, length, i * 100 + rank));
    MPI_Request request;
    MPI_Ialltoall(mine, length, MPI_BYTE, all, length, MPI_BYTE, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < size; i++)
        CHECK(is_filled(all + (size_t)i * length, length, i * 100 + rank));
    free(mine);
    free(all);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    for (int i = 0; i < 200; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    for (int count = 1; count <= 100000; count *= 10)
        reductions(count);
    for (int length = 1; length <= 1000000; length *= 10)
        exchanges(length);
    return end();
}
