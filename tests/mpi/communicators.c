/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Communicators beside each other: what is said in one is not heard in another. */
#include "check.h"

int main(int argc, char** argv) {
    begin(&argc, &argv);
    enum { COPIES = 20 };
    MPI_Comm copies[COPIES];
    for (int i = 0; i < COPIES; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &copies[i]);
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Request requests[COPIES];
    int said[COPIES], got = -1;
    for (int i = 0; i < COPIES; i++) {
        said[i] = rank * 1000 + i;
        MPI_Isend(&said[i], 1, MPI_INT, next, 0, copies[i], &requests[i]);
    }
    for (int i = COPIES - 1; i >= 0; i--) {
        MPI_Recv(&got, 1, MPI_INT, before, 0, copies[i], MPI_STATUS_IGNORE);
        CHECK(got == before * 1000 + i);
    }
    MPI_Waitall(COPIES, requests, MPI_STATUSES_IGNORE);

    MPI_Comm half, across;
    int sum = 0, its_rank, its_size;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_rank(half, &its_rank);
    MPI_Comm_size(half, &its_size);
    CHECK(its_rank == its_size - 1 - rank / 2);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
    int expected = 0;
    for (int i = rank % 2; i < size; i += 2)
        expected += i;
    CHECK(sum == expected);

    /* Between the halves: each side learns the other's sum. The highest of a half is its first. */
    const int highest_even = (size - 1) & ~1, highest_odd = size % 2 == 0 ? size - 1 : size - 2;
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 == 0 ? highest_odd : highest_even, 5, &across);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, across);
    CHECK(sum == size * (size - 1) / 2 - expected);
    MPI_Comm_free(&across);
    MPI_Comm_free(&half);
    for (int i = 0; i < COPIES; i++)
        MPI_Comm_free(&copies[i]);
    return end();
}
