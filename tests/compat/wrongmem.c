/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* What a program may not do with shared memory: wrongmem WHAT. */
#include <string.h>

#include <iso.h>

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "";
    struct iso_var32 value;
    struct iso_var64 wide;
    iso_init();
    if (strcmp(what, "outside") == 0) iso_write32(10, 1);
    iso_start();
    if (strcmp(what, "unmapped") == 0) iso_write32(9 * PAGE_SIZE + 10, 1);
    if (strcmp(what, "beyond") == 0) iso_write32(5000 * PAGE_SIZE, 1);
    if (strcmp(what, "odd") == 0) iso_read64(11, &wide);
    if (strcmp(what, "twice") == 0) iso_sched(10);
    if (strcmp(what, "twice") == 0) iso_sched(10);
    if (strcmp(what, "poll") == 0) iso_poll();
    iso_read32(10, &value);
    if (strcmp(what, "early") == 0) read_iso_var32(&value);
    iso_end();
    iso_deinit();
    return 0;
}
