/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Tries what can never be done, for ever, as programs of these interfaces do: wrong WHAT. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <iso_mbm.h>
#include <noniso.h>

static void message_to(int target, int size) {
    static char data[ISO_MAX_MESSAGE + 1];
    while (iso_send(target, data, size, TRUE) != 0)
        poll();
}

static void too_many_parts(int target) {
    static char data[1000];
    int part;
    for (part = 0; part < 100000; part++)
        while (iso_send(target, data, sizeof data, FALSE) != 0)
            poll();
    while (iso_end() != 0)
        poll();
}

/* As a file that includes noniso.h alone would. */
static void open_without_time(void) {
    isoplane_net_open(0);
}

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "";
    int other;

    if (strcmp(what, "closed") == 0) message_to(0, 1);
    if (strcmp(what, "plain") == 0) open_without_time();
    open_net();
    other = (get_my_node_number() + 1) % get_number_of_hosts();
    if (strcmp(what, "plain") == 0) message_to(other, 1);
    if (strcmp(what, "size") == 0) message_to(other, ISO_MAX_MESSAGE + 1);
    if (strcmp(what, "parts") == 0) too_many_parts(other);
    if (strcmp(what, "silence") == 0) {
        iso_mbm m;
        if (get_my_node_number() == 1) raise(SIGSTOP);
        for (;;)
            iso_receive(&m);
    }
    return 0;
}
