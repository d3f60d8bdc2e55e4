/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 the isoplane authors */

/* How much of the time that messages take is left to the program: two ranks exchange messages both ways, and
 * compute between posting and waiting for as long as the exchange alone takes. Available is what of that time
 * the computing did not cost more: 1 when all of the exchange was done meanwhile, 0 when none was. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 200, WARM = 20, SAMPLES = 5 };

static volatile double sink;

/* Computes without a call of MPI. */
static void compute(long steps) {
    double x = 1.0;
    for (long i = 0; i < steps; ++i)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}

static double exchange(int rank, char* out, char* in, int size, long steps) {
    const int other = 1 - rank;
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int i = -WARM; i < ROUNDS; ++i) {
        if (i == 0) begin = MPI_Wtime();
        MPI_Request requests[2];
        MPI_Irecv(in, size, MPI_CHAR, other, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, size, MPI_CHAR, other, 1, MPI_COMM_WORLD, &requests[1]);
        if (steps > 0) compute(steps);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    return (MPI_Wtime() - begin) / ROUNDS;
}

static int by_value(const void* a, const void* b) {
    const double x = *(const double*)a;
    const double y = *(const double*)b;
    return (x > y) - (x < y);
}

static double median(double* values) {
    qsort(values, SAMPLES, sizeof *values, by_value);
    return values[SAMPLES / 2];
}

int main(int argc, char** argv) {
    static const int kSizes[] = {4096, 65536, 1048576};
    int rank = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t s = 0; s < sizeof kSizes / sizeof *kSizes; ++s) {
        const int size = kSizes[s];
        char* out = malloc((size_t)size);
        char* in = malloc((size_t)size);
        double available[SAMPLES];
        memset(out, 1, (size_t)size);
        for (int i = 0; i < SAMPLES; ++i) {
            const long kProbe = 100000;
            double alone = exchange(rank, out, in, size, 0);
            MPI_Allreduce(MPI_IN_PLACE, &alone, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            double begin = MPI_Wtime();
            compute(kProbe);
            double step = (MPI_Wtime() - begin) / kProbe;
            MPI_Allreduce(MPI_IN_PLACE, &step, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
            const long steps = (long)(alone / step) + 1;
            begin = MPI_Wtime();
            for (int j = 0; j < ROUNDS; ++j)
                compute(steps);
            const double work = (MPI_Wtime() - begin) / ROUNDS;
            const double both = exchange(rank, out, in, size, steps);
            available[i] = 1 - (both - work) / alone;
            if (available[i] < 0) available[i] = 0;
            if (available[i] > 1) available[i] = 1;
        }
        if (rank == 0) printf("available_%dK %.3f of_1\n", size / 1024, median(available));
        free(out);
        free(in);
    }
    MPI_Finalize();
    return 0;
}
