/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Rank 0 asks, rank 1 answers: p33_pair put|get|swap [ROUNDS [THREADS]]. Each thread has a queue, MDs and
 * match bits of its own, and sees the events of its operations, each in its place, and no others. */
#include <pthread.h>

#include "p33.h"

#define BYTES 64

static ptl_process_id_t other;
static int rounds = 1;
static const char* what = "put";

static void fill(char* memory, int round, int from) {
    int i;
    for (i = 0; i < BYTES; i++)
        memory[i] = (char)(round * 7 + from + i);
}

static void check(const char* memory, int round, int from) {
    char expected[BYTES];
    fill(expected, round, from);
    CHECK(memcmp(memory, expected, BYTES) == 0);
}

/* The MD goes with the ACK, before anything that comes of the put. */
static void hit(ptl_handle_eq_t eq, char* memory, ptl_process_id_t to, ptl_match_bits_t bits) {
    ptl_handle_md_t md;
    ptl_event_t event;
    MUST(PtlMDBind(ni, md_of(memory, BYTES, 2, PTL_MD_OP_PUT, eq), PTL_UNLINK, &md));
    MUST(PtlPut(md, PTL_ACK_REQ, to, PORTAL, 0, bits, 0, 11));
    EXPECT(eq, SEND_START);
    event = EXPECT(eq, SEND_END);
    CHECK(same(event.initiator, self));
    event = EXPECT(eq, ACK);
    CHECK(same(event.initiator, other) && event.mlength == BYTES && event.md.user_ptr == memory);
    EXPECT(eq, UNLINK);
    CHECK(PtlMDUnlink(md) == PTL_MD_INVALID);
}

static ptl_process_id_t take(ptl_handle_eq_t eq, const char* memory, int round) {
    ptl_event_t start = EXPECT(eq, PUT_START), end = EXPECT(eq, PUT_END);
    CHECK(start.link == end.link && end.offset == 0 && end.mlength == BYTES && end.hdr_data == 11);
    CHECK(same(end.initiator, other));
    check(memory, round, (int)(1 - rank));
    return end.initiator;
}

static void put(ptl_handle_eq_t eq, char* out, char* in, ptl_match_bits_t bits, int round) {
    ptl_process_id_t from = other;
    if (rank == 1) from = take(eq, in, round);
    fill(out, round, (int)rank);
    hit(eq, out, from, bits);
    if (rank == 0) take(eq, in, round);
}

static void get(ptl_handle_eq_t eq, char* in, ptl_match_bits_t bits) {
    ptl_handle_md_t md;
    memset(in, 0, BYTES);
    MUST(PtlMDBind(ni, md_of(in, BYTES, 1, PTL_MD_OP_GET | PTL_MD_TRUNCATE, eq), PTL_UNLINK, &md));
    MUST(PtlGet(md, other, PORTAL, 0, bits, 0));
    EXPECT(eq, REPLY_START);
    EXPECT(eq, REPLY_END);
    EXPECT(eq, UNLINK);
    check(in, 0, 1);
}

static void swap(ptl_handle_eq_t eq, ptl_handle_md_t md, char* memory, ptl_match_bits_t bits, int round) {
    fill(memory, round, 0);
    MUST(PtlGetPut(md, md, other, PORTAL, 0, bits, 0, 0));
    EXPECT(eq, SEND_START);
    EXPECT(eq, SEND_END);
    EXPECT(eq, REPLY_START);
    EXPECT(eq, REPLY_END);
    check(memory, round > 0 ? round - 1 : 0, round > 0 ? 0 : 1);
}

static void* play(void* number) {
    const ptl_match_bits_t bits = (ptl_match_bits_t)(size_t)number;
    /* Of puts, those of this round and the start of the next; gets and swaps may all have been served before
     * their events are read. */
    ptl_handle_eq_t eq = queue_of(what[0] == 'p' ? 6 : 2 * (ptl_size_t)rounds + 4);
    char in[BYTES], out[BYTES];
    ptl_handle_me_t me;
    ptl_handle_md_t md;
    int round;

    fill(in, 0, (int)rank);
    md = attach(anyone, bits,
                md_of(in, BYTES, PTL_MD_THRESH_INF, PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE, eq),
                &me);
    meet(other, bits);
    for (round = 0; round < rounds; round++) {
        if (what[0] == 'p') {
            put(eq, out, in, bits, round);
        } else if (rank == 1) {
            const int swaps = what[0] == 's';
            expect_at(eq, swaps ? PTL_EVENT_GETPUT_START : PTL_EVENT_GET_START, __LINE__);
            expect_at(eq, swaps ? PTL_EVENT_GETPUT_END : PTL_EVENT_GET_END, __LINE__);
        } else if (what[0] == 's') {
            swap(eq, md, in, bits, round);
        } else {
            get(eq, out, bits);
        }
    }
    if (what[0] == 's') {
        MUST(PtlMDUnlink(md));
        md = PTL_INVALID_HANDLE;
    }
    MUST(PtlEQFree(eq)); /* under an MD that is attached yet */
    return NULL;
}

int main(int argc, char** argv) {
    pthread_t threads[16];
    int count, i;

    if (argc > 1) what = argv[1];
    if (argc > 2) rounds = atoi(argv[2]);
    count = argc > 3 ? atoi(argv[3]) : 1;
    join();
    CHECK(size == 2 && count >= 1 && count <= 16);
    other = id_of(1 - rank);
    for (i = 1; i < count; i++)
        pthread_create(&threads[i], NULL, play, (void*)(size_t)i);
    play(NULL);
    for (i = 1; i < count; i++)
        pthread_join(threads[i], NULL);
    printf("%s: %d rounds, %d threads\n", what, rounds, count);
    MUST(PtlNIFini(ni));
    PtlFini();
    return 0;
}
