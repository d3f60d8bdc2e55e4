/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Messages that call handlers: isomsg [ISOCHRONS]. Every node moves money between accounts which all nodes
 * keep, by isochrons of an order to each; as all keep them in the same order, their books agree at the end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <iso.h>

#define ACCOUNTS 16
#define MOST_NODES 64

enum { TRANSFER = 7, BALANCE = MAX_ISO_HANDLERS - 1 };

struct transfer {
    int from, to, amount;
    char reason[MAX_ISO_MSG_SIZE - 3 * sizeof(int)];
};

static int accounts[ACCOUNTS];
static int transfers, balances;

static void fail(const char* what, int number) {
    fprintf(stderr, "node %ld: %s (%d)\n", NODEID, what, number);
    exit(1);
}

static void on_transfer(int sender, void* data, int length) {
    struct transfer order;
    if (sender < 0 || sender >= NUMNODES) fail("an order from nobody", sender);
    if (length < (int)(3 * sizeof(int)) || length > (int)sizeof order)
        fail("an order of the wrong size", length);
    memcpy(&order, data, length);
    if (length == sizeof order && order.reason[sizeof order.reason - 1] != 'x')
        fail("a damaged order", sender);
    transfers++;
    /* Whether there is enough depends on the order of all. */
    if (accounts[order.from] < order.amount) return;
    accounts[order.from] -= order.amount;
    accounts[order.to] += order.amount;
}

static void on_balance(int sender, void* data, int length) {
    if (length != sizeof accounts || memcmp(data, accounts, sizeof accounts) != 0)
        fail("other books than mine", sender);
    balances++;
}

static void check_handlers(void) {
    if (iso_set_handler(TRANSFER, on_balance) != NULL) fail("a handler that nobody has set", TRANSFER);
    if (iso_set_handler(TRANSFER, on_transfer) != on_balance) fail("not the handler before", TRANSFER);
    if (iso_set_handler(BALANCE, on_balance) != NULL) fail("a handler that nobody has set", BALANCE);
}

static void order(int number) {
    struct transfer order;
    int to;
    memset(&order, 'x', sizeof order);
    order.from = (int)(NODEID * 5 + number * 7) % ACCOUNTS;
    order.to = (int)(NODEID * 3 + number * 11 + 1) % ACCOUNTS;
    order.amount = (number * 13 + (int)NODEID) % 60;
    iso_start();
    for (to = 0; to < NUMNODES; to++)
        iso_send_msg(to, TRANSFER, &order, number % 10 == 0 ? (int)sizeof order : (int)(3 * sizeof(int)));
    iso_end();
}

int main(int argc, char** argv) {
    int isochrons = argc > 1 ? atoi(argv[1]) : 1000;
    int i;

    iso_init();
    check_handlers();
    for (i = 0; i < ACCOUNTS; i++)
        accounts[i] = 50;
    for (i = 0; i < isochrons; i++)
        order(i);
    iso_start();
    iso_end(); /* an isochron of nothing */
    while (transfers < isochrons * NUMNODES)
        iso_poll();
    for (i = 0; i < NUMNODES; i++) {
        iso_start();
        iso_send_msg(i, BALANCE, accounts, sizeof accounts);
        iso_end();
    }
    while (balances < NUMNODES)
        iso_poll();
    iso_deinit();
    printf("%d transfers, the same books everywhere\n", transfers);
    return 0;
}
