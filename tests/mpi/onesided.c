/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Windows: put, get and accumulate between fences, under locks, and between post and wait. */
#include "check.h"

int main(int argc, char** argv) {
    begin(&argc, &argv);
    enum { COUNT = 20000 };
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int *memory, *mine = malloc(COUNT * sizeof *mine);
    MPI_Win window;
    MPI_Win_allocate(COUNT * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    for (int i = 0; i < COUNT; i++) {
        memory[i] = -1;
        mine[i] = rank * COUNT + i;
    }
    MPI_Win_fence(0, window);
    MPI_Put(mine, COUNT, MPI_INT, next, 0, COUNT, MPI_INT, window);
    MPI_Win_fence(0, window);
    for (int i = 0; i < COUNT; i++)
        CHECK(memory[i] == before * COUNT + i);
    MPI_Win_fence(0, window);
    MPI_Get(mine, COUNT, MPI_INT, next, 0, COUNT, MPI_INT, window);
    MPI_Win_fence(0, window);
    for (int i = 0; i < COUNT; i++)
        CHECK(mine[i] == rank * COUNT + i);

    memory[0] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 50; i++) {
        const int one = 1;
        int was;
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        MPI_Fetch_and_op(&one, &was, MPI_INT, 0, 0, MPI_SUM, window);
        MPI_Win_unlock(0, window);
        CHECK(was >= i && was < 50 * size);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        CHECK(memory[0] == 50 * size);
        MPI_Win_unlock(0, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);

    int count = 5 + rank;
    MPI_Group world, to, from;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &next, &to);
    MPI_Group_incl(world, 1, &before, &from);
    MPI_Win_post(from, 0, window);
    MPI_Win_start(to, 0, window);
    MPI_Put(&count, 1, MPI_INT, next, 7, 1, MPI_INT, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    CHECK(memory[7] == 5 + before);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
    free(mine);
    return end();
}
