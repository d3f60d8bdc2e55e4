/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Several threads of each rank at once. */
#include "check.h"

#include <pthread.h>

enum { THREADS = 3, ROUNDS = 200 };

static void* talk(void* number) {
    const int tag = *(const int*)number;
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    unsigned char said[3000], got[3000];
    for (int i = 0; i < ROUNDS; i++) {
        const int length = (i * 37) % (int)sizeof said;
        fill(said, length, rank + tag + i);
        MPI_Sendrecv(said, length, MPI_BYTE, next, tag, got, sizeof got, MPI_BYTE, before, tag,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(is_filled(got, length, before + tag + i));
    }
    return NULL;
}

int main(int argc, char** argv) {
    int provided = -1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(provided == MPI_THREAD_MULTIPLE);
    pthread_t threads[THREADS];
    int tags[THREADS];
    for (int i = 0; i < THREADS; i++) {
        tags[i] = i;
        pthread_create(&threads[i], NULL, talk, &tags[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return end();
}
