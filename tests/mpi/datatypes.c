/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Messages whose data does not lie in one piece, at either end. */
#include "check.h"

#include <stddef.h>

struct Record {
    char kind;
    double value;
    int numbers[3];
};

static void columns(int rows) {
    const int next = (rank + 1) % size, before = (rank + size - 1) % size, width = 7;
    int *matrix = malloc(rows * width * sizeof *matrix), *column = malloc(rows * sizeof *column);
    MPI_Datatype type;
    MPI_Type_vector(rows, 1, width, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < rows * width; i++)
        matrix[i] = rank * 1000000 + i;
    MPI_Sendrecv(matrix + 3, 1, type, next, 1, column, rows, MPI_INT, before, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < rows; i++)
        CHECK(column[i] == before * 1000000 + i * width + 3);
    MPI_Sendrecv(column, rows, MPI_INT, before, 2, matrix + 5, 1, type, next, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < rows; i++) {
        CHECK(matrix[i * width + 5] == rank * 1000000 + i * width + 3);
        CHECK(matrix[i * width + 4] == rank * 1000000 + i * width + 4);
    }
    MPI_Type_free(&type);
    free(matrix);
    free(column);
}

static void records(int count) {
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    struct Record *mine = calloc(count, sizeof *mine), *theirs = calloc(count, sizeof *theirs);
    const int lengths[] = {1, 1, 3};
    const MPI_Aint places[] = {offsetof(struct Record, kind), offsetof(struct Record, value),
                               offsetof(struct Record, numbers)};
    const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
    MPI_Datatype loose, type;
    MPI_Type_create_struct(3, lengths, places, types, &loose);
    MPI_Type_create_resized(loose, 0, sizeof(struct Record), &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < count; i++)
        mine[i] = (struct Record){(char)i, i * 0.5 + rank, {rank, i, -i}};
    MPI_Sendrecv(mine, count, type, next, 3, theirs, count, type, before, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++)
        CHECK(theirs[i].kind == (char)i && theirs[i].value == i * 0.5 + before &&
              theirs[i].numbers[0] == before && theirs[i].numbers[1] == i && theirs[i].numbers[2] == -i);
    MPI_Type_free(&loose);
    MPI_Type_free(&type);
    free(mine);
    free(theirs);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    for (int rows = 1; rows <= 100000; rows *= 10)
        columns(rows);
    for (int count = 1; count <= 10000; count *= 10)
        records(count);
    return end();
}
