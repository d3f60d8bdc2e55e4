/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* The last rank dies in the middle of it; the others learn of it from what they do with it, and go on among
 * themselves. To be started with mpirun --enable-recovery, which then lets them. */
#include "check.h"

#include <signal.h>
#include <time.h>

enum { LONG = 300000 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    static char data[LONG];
    const int last = size - 1;
    const double limit = argc > 1 ? atof(argv[1]) : 10;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Request receive, send;
    if (rank != last) {
        MPI_Irecv(data, 8, MPI_BYTE, last, 1, MPI_COMM_WORLD, &receive);
        MPI_Isend(data, LONG, MPI_BYTE, last, 2, MPI_COMM_WORLD, &send);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == last) raise(SIGKILL);
    const double before = seconds();
    CHECK(MPI_Wait(&receive, MPI_STATUS_IGNORE) != MPI_SUCCESS);
    CHECK(MPI_Wait(&send, MPI_STATUS_IGNORE) != MPI_SUCCESS);
    CHECK(seconds() - before < limit);
    CHECK(MPI_Recv(data, 8, MPI_BYTE, last, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS);
    for (int i = 0; rank < (last & ~1) && i < 100; i++)
        CHECK(MPI_Sendrecv_replace(data, 100, MPI_BYTE, rank ^ 1, 4, rank ^ 1, 4, MPI_COMM_WORLD,
                                   MPI_STATUS_IGNORE) == MPI_SUCCESS);
    int flag; /* what this rank sent last may have to be sent again */
    for (const double done = seconds(); seconds() - done < 1;)
        MPI_Iprobe(rank, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    printf("rank %d knows\n", rank);
    fflush(stdout);
    _Exit(0); /* finalizing would wait for the dead */
}
