/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Messages in logical time, as programs for the Ironman messaging layer know them: isochrons that are
 * received at one logical time wherever they go. */
#ifndef ISOPLANE_ISO_MBM_H
#define ISOPLANE_ISO_MBM_H

#ifdef ISOPLANE_ISO_SMM_H
#error iso_smm.h and iso_mbm.h do not go together: a program has shared memory or messages in logical time
#endif

#include <isotach.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of the largest message, as iso_msg counts them. Those of up to get_max_payload() fit a frame. */
#define ISO_MAX_MESSAGE 65535

/* Copies a message to a node, which may be this one, into the isochron that is being made; and sends that
 * when it is the last. Not 0: this message was not taken, while those before it stay in the isochron; try
 * again, unless there is no such node. A message or an isochron that can never go ends the program. */
int isoplane_isotach_send(int target, const void* data, int size, int last_in_isochron);

#ifdef __cplusplus
}
#endif

#define iso_send(target, data, size, last_in_isochron) \
    isoplane_isotach_send(target, data, size, last_in_isochron)

#endif
