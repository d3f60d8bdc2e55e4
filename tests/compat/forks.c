/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Nodes pass a ball round while each forks children that end at once: what is a child's end is not the
 * node's. forks [ROUNDS] */
#include <noniso.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void fork_one(int round) {
    int status;
    const pid_t child = fork();
    if (child == 0) exit(round % 2);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) != round % 2) {
        fprintf(stderr, "round %d: a child did not end as it should\n", round);
        exit(1);
    }
}

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 20;
    int me, nodes, round;
    noniso_mbm ball;
    open_net();
    me = get_my_node_number();
    nodes = get_number_of_hosts();
    for (round = 0; round < rounds; round++) {
        fork_one(round);
        if (me != 0 || round != 0) {
            while (receive(&ball) != SUCCESS)
                ;
            if (ball.sender_id != (me + nodes - 1) % nodes || ball.size != (int)sizeof round) {
                fprintf(stderr, "%d bytes from %d\n", ball.size, ball.sender_id);
                exit(1);
            }
        }
        while (send((me + 1) % nodes, &round, sizeof round) != SUCCESS)
            ;
    }
    if (me == 0) {
        while (receive(&ball) != SUCCESS)
            ;
    }
    printf("%d rounds\n", rounds);
    fflush(stdout);
    while (try_close_net() != SUCCESS)
        poll();
    return 0;
}
