/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* What the programs of this directory share. Each is of one area of MPI, says what is wrong and ends with 1,
 * or ends with 0. Any number of ranks from two on will do. */
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

#define CHECK(what)                                                                           \
    do {                                                                                      \
        if (!(what)) {                                                                        \
            fprintf(stderr, "rank %d: %s:%d: not so: %s\n", rank, __FILE__, __LINE__, #what); \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                     \
        }                                                                                     \
    } while (0)

static inline void begin(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(size >= 2);
}

static inline int end(void) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("all is well\n");
    MPI_Finalize();
    return 0;
}

/* Content that says where it comes from. */
static inline void fill(unsigned char* data, int length, int seed) {
    for (int i = 0; i < length; i++)
        data[i] = (unsigned char)(seed * 31 + i * 7 + i / 251);
}

static inline int is_filled(const unsigned char* data, int length, int seed) {
    for (int i = 0; i < length; i++)
        if (data[i] != (unsigned char)(seed * 31 + i * 7 + i / 251)) return 0;
    return 1;
}
