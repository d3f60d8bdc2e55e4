/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Half of what it takes to rank 1 and back, for messages of 1 byte to BYTES: p33_lat [BYTES [ROUNDS [WINDOW
 * [both]]]]. With a window, so many go one way before as many come back. What has been sent is told before
 * what comes of it. Or both put messages of that size before either looks what has come. */
#include <sys/time.h>

#include "p33.h"

static double now_us(void) {
    struct timeval t;
    gettimeofday(&t, NULL);
    return t.tv_sec * 1e6 + t.tv_usec;
}

static ptl_process_id_t other;
static ptl_handle_eq_t eq;
static ptl_handle_md_t source;
static int window = 1, both, on_their_way;

/* To the part of what the other has there that begins at `to`. */
static void out(ptl_size_t bytes, ptl_size_t to) {
    int i;
    for (i = 0; i < window; i++)
        MUST(PtlPutRegion(source, 0, bytes, PTL_NO_ACK_REQ, other, PORTAL, 0, 0, to + i * bytes, 0));
    on_their_way += window;
}

/* As many of theirs; all of ours have left before the first. */
static void in(ptl_size_t bytes) {
    int left = window, is_first = 1;
    while (left > 0) {
        ptl_event_t event;
        MUST(PtlEQWait(eq, &event));
        CHECK(event.ni_fail_type == PTL_NI_OK);
        if (event.type == PTL_EVENT_SEND_END) {
            CHECK(is_first || rank == 1 || both);
            on_their_way--;
        } else if (event.type == PTL_EVENT_PUT_END) {
            CHECK(same(event.initiator, other) && event.mlength == bytes);
            CHECK(rank == 1 || on_their_way == 0 || both);
            is_first = 0;
            left--;
        } else {
            CHECK(event.type == PTL_EVENT_PUT_START || event.type == PTL_EVENT_SEND_START);
        }
    }
}

/* Whatever is sent has been when the answer to it is here; of what nobody answers, that remains to be told.
 */
static void drain(void) {
    while (on_their_way > 0) {
        ptl_event_t event;
        MUST(PtlEQWait(eq, &event));
        CHECK(event.type == PTL_EVENT_SEND_START || event.type == PTL_EVENT_SEND_END);
        on_their_way -= event.type == PTL_EVENT_SEND_END;
    }
}

int main(int argc, char** argv) {
    const ptl_size_t most = argc > 1 ? (ptl_size_t)atol(argv[1]) : 4 << 20;
    const int rounds = argc > 2 ? atoi(argv[2]) : 100;
    ptl_handle_me_t me;
    ptl_size_t bytes, i, part = 0;
    char *from, *to;

    if (argc > 3) window = atoi(argv[3]);
    both = argc > 4;
    join();
    CHECK(size == 2);
    other = id_of(1 - rank);
    from = malloc(most);
    /* Two parts in turn: while one looks at what has come, the other may already put the next size. */
    to = calloc(2 * window, most);
    for (i = 0; i < most; i++)
        from[i] = (char)(i * 31 + rank);
    eq = queue_of(window == 1 ? 10 : 1000);
    MUST(PtlMDBind(ni, md_of(from, most, PTL_MD_THRESH_INF, PTL_MD_ACK_DISABLE, eq), PTL_RETAIN, &source));
    attach(anyone, 0,
           md_of(to, 2 * window * most, PTL_MD_THRESH_INF,
                 PTL_MD_OP_PUT | PTL_MD_MANAGE_REMOTE | PTL_MD_ACK_DISABLE, eq),
           &me);
    meet(other, 0);
    for (bytes = both ? most : 1; bytes <= most; bytes *= 4) {
        const double start = now_us();
        double took;
        int round;
        for (round = 0; round < rounds; round++) {
            if (rank == 0 || both) out(bytes, part);
            in(bytes);
            if (rank == 1 && !both) out(bytes, part);
        }
        took = now_us() - start;
        drain();
        for (i = 0; i < bytes * window; i++)
            CHECK(to[part + i] == (char)(i % bytes * 31 + 1 - rank));
        memset(to + part, 0, bytes * window);
        part = part == 0 ? window * most : 0;
        if (rank == 0)
            fprintf(stderr, "%lu bytes: %.2f us, %.1f MB/s\n", (unsigned long)bytes,
                    took / rounds / 2 / window, 2.0 * bytes * window * rounds / took);
    }
    printf("%d at a time\n", window);
    PtlFini();
    free(from);
    free(to);
    return 0;
}
