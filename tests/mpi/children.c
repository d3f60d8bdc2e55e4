/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Ranks fork children and wait for them, between what they say to each other: a child's end is not a rank's.
 */
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
    begin(&argc, &argv);
    for (int i = 0; i < 10; i++) {
        int status = -1, sum = 0;
        const pid_t child = fork();
        if (child == 0) exit(0);
        CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        CHECK(sum == size * (size - 1) / 2);
    }
    return end();
}
