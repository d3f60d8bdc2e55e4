/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* A stream of bytes over active messages, which have no order: hpamstream [BYTES]. Each piece says where in
 * the stream it belongs and goes straight to that place of the reader's ring; the writer never has more
 * under way than the ring holds. Every node writes to the next. */
/* clang-format off */ /* which does not know the C of Kernighan and Ritchie */
#include <stdio.h>
#include <stdlib.h>

#include <hpam.h>

#define RING 16384
#define PIECE 1000

/* What there is at both ends: the writer's side of one stream, and the reader's of another. */
static char ring[RING];
static volatile long arrived[RING / PIECE + 1]; /* pieces: one more than the number of the one in a place */
static volatile long freed;                     /* bytes that the reader has read, as the writer knows */

static void on_piece(number, data, size)
long number;
char* data;
long size;
{
    arrived[number % (RING / PIECE)] = number + 1;
}

static void on_freed(bytes)
long bytes;
{
    if (bytes > freed) freed = bytes;
}

static char byte_at(i)
long i;
{
    return (char)(i * 7 + i / 251);
}

main(argc, argv)
int argc;
char** argv;
{
    long bytes = argc > 1 ? atol(argv[1]) : 1000000;
    long pieces = bytes / PIECE, written = 0, read = 0, wrong = 0, i;
    int me = HPAM_self_address, nodes = HPAM_partition_size;
    int next = (me + 1) % nodes, last = (me + nodes - 1) % nodes;
    static char piece[PIECE];

    while (written < pieces || read < pieces) {
        HPAM_poll();
        if (written < pieces && (written + 1) * PIECE - freed <= RING / PIECE * PIECE) {
            for (i = 0; i < PIECE; i++)
                piece[i] = byte_at(written * PIECE + i);
            HPAM_xfer(next, piece, ring + written % (RING / PIECE) * PIECE, PIECE, on_piece, written);
            written++;
        }
        if (read < pieces && arrived[read % (RING / PIECE)] == read + 1) {
            char* at = ring + read % (RING / PIECE) * PIECE;
            for (i = 0; i < PIECE; i++)
                wrong += at[i] != byte_at(read * PIECE + i);
            read++;
            HPAM_4(last, on_freed, read * PIECE, 0, 0, 0);
        }
    }
    printf("%ld bytes written and read, %ld wrong\n", bytes / PIECE * PIECE, wrong);
    return wrong != 0;
}
