/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Signals and barriers in logical time: isogroup [ROUNDS]. In each round every node sends to all, and enters
 * a barrier: what was sent before has come when it is complete, and nothing that is sent after it. Then node
 * 0 sends a signal, behind a message to all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <iso_mbm.h>
#include <noniso.h>

#define SIGNAL 3

static int me, nodes;
static int before, after, barriers, signals; /* messages of this round, and notices of all */

static void fail(const char* what, int number) {
    fprintf(stderr, "node %d: %s (%d)\n", me, what, number);
    exit(1);
}

static void to_all(char what) {
    int to;
    for (to = 0; to < nodes; to++)
        while (iso_send(to, &what, 1, 0) != 0)
            poll();
    while (iso_end() != 0)
        poll();
}

static void take(int round) {
    iso_mbm m;
    if (iso_receive(&m) != 0) return;
    if (m.tag == BS_NOTICE && m.info.bits == ISO_BARRIER_BIT(round % 2)) {
        barriers++;
        if (before != nodes) fail("the barrier came before a message that was sent before it", before);
    } else if (m.tag == BS_NOTICE && m.info.bits == ISO_SIGNAL_BIT(SIGNAL)) {
        signals++;
        if (after != 1) fail("the signal came before the message that was sent before it", after);
    } else if (m.tag == ISO_MBM && m.info.msg.length == 1 && *(char*)m.info.msg.data == 'b') {
        before++;
        if (barriers > round) fail("a message came after the barrier that it was sent before", round);
    } else if (m.tag == ISO_MBM && m.info.msg.length == 1 && *(char*)m.info.msg.data == 'a') {
        after++;
        if (barriers != round + 1) fail("a message came before the barrier that it was sent after", round);
    } else {
        fail("what nobody sent", m.tag);
    }
}

static void meet(void) {
    while (initiate_barrier() != SUCCESS)
        poll();
    while (barrier_completed() != SUCCESS)
        poll();
}

static void refusals(void) {
    if (iso_send_signal(SIGNAL) == 0) fail("sent a signal that is not registered", SIGNAL);
    if (iso_barrier(STRONG, 0) == 0) fail("entered a barrier that is not registered", 0);
    if (iso_register_signal(0) == 0 || iso_register_signal(6) == 0) fail("registered no signal", 6);
    if (iso_register_barrier(STRONG, 2) == 0 || iso_register_barrier(7, 0) == 0)
        fail("registered no barrier", 2);
    if (iso_clear_signal(5) != 0 || iso_clear_barrier(1) != 0)
        fail("did not clear what is not registered", 1);
    if (iso_clear_signal(6) == 0 || iso_clear_barrier(2) == 0) fail("cleared what there is not", 2);
}

static void refusals_when_registered(void) {
    if (iso_register_signal(SIGNAL) == 0) fail("registered a signal twice", SIGNAL);
    if (iso_register_barrier(STRONG, 0) == 0) fail("registered a barrier twice", 0);
    if (iso_barrier(WEAK, 0) == 0) fail("entered a strong barrier as a weak one", 0);
}

int main(int argc, char** argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 100;
    int round;

    if (open_net() != SUCCESS) fail("did not open", -1);
    me = get_my_node_number();
    nodes = get_number_of_hosts();
    refusals();
    if (iso_register_signal(SIGNAL) != 0 || iso_register_barrier(STRONG, 0) != 0) fail("did not register", 0);
    if (iso_register_barrier(1, WEAK) != 0) fail("the mode as the other argument", 1);
    refusals_when_registered();
    meet(); /* all have registered */
    for (round = 0; round < rounds; round++) {
        int mode = round % 2 == 0 ? STRONG : WEAK;
        before = after = 0;
        if (iso_send(me, "b", 1, 0) != 0) fail("did not begin an isochron", round);
        if (iso_barrier(mode, round % 2) == 0) fail("entered a barrier within an isochron", round);
        if (iso_send_signal(SIGNAL) == 0) fail("sent a signal within an isochron", round);
        for (int to = 0; to < nodes; to++)
            if (to != me)
                while (iso_send(to, "b", 1, 0) != 0)
                    take(round);
        while (iso_end() != 0)
            take(round);
        if (iso_barrier(mode, round % 2) != 0) fail("did not enter the barrier", round);
        if (iso_barrier(mode, round % 2) == 0) fail("entered the barrier twice", round);
        while (barriers == round)
            take(round);
        if (me == 0) {
            to_all('a');
            if (iso_send_signal(SIGNAL) != 0) fail("did not send the signal", round);
        }
        while (signals == round)
            take(round);
        meet(); /* nobody is a round ahead */
    }
    if (iso_clear_signal(SIGNAL) != 0 || iso_clear_barrier(0) != 0 || iso_clear_barrier(1) != 0)
        fail("did not clear", 0);
    while (try_close_net() != SUCCESS)
        poll();
    printf("%d barriers and %d signals, each in its place\n", barriers, signals);
    return 0;
}
