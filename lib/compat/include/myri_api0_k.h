/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Constants of myri_api0.h. */
#ifndef ISOPLANE_MYRI_API0_K_H
#define ISOPLANE_MYRI_API0_K_H

/* Receive channels of a node: 0 to MYRI_API0_NUM_CHANNELS - 1. */
#define MYRI_API0_NUM_CHANNELS 8

/* For myri_api0_get_chan(): whichever is free. */
#define MYRI_API0_ANY_CHAN (-1)

/* For myri_api0_add_route(): the next free number. */
#define MYRI_API0_NEXT_ROUTE (-1)

/* Bytes of the largest message; only after myri_api0_init(), as it follows from the network. */
#define MYRI_API0_MAX_LEN isoplane_myri_api0_max_len()

#endif
