/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Logical time, as programs for the Ironman messaging layer know it: what messages and shared memory have in
 * common, and signals and barriers. Programs with messages include iso_mbm.h. How a program opens and closes
 * its connection is in isoplane_net.h. */
#ifndef ISOPLANE_ISOTACH_H
#define ISOPLANE_ISOTACH_H

#ifdef ISOPLANE_ISO_H
#error isotach.h and iso.h are two generations of one interface: include one of them
#endif

#undef ISOPLANE_LOGICAL_TIME
#define ISOPLANE_LOGICAL_TIME 1
#include <isoplane_net.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How iso_mbm.info is to be read. */
#define ISO_MBM 0x10
#define BS_NOTICE 0x16
#define BS_MARKER BS_NOTICE

/* The bits of a notice: barriers that are complete, signals that were sent. Signal 0 is the reset. */
#define ISO_BARRIER_BIT(channel) (0x01 << (channel))
#define ISO_SIGNAL_BIT(channel) (0x04 << (channel))

/* Kinds of barrier. These are no channels, so that it does not matter in which order a barrier's mode and
 * channel are given: the descriptions of the interface do not agree on it. */
#define ISO_BARRIER_WEAK 0x10
#define ISO_BARRIER_STRONG 0x11
#ifndef WEAK
#define WEAK ISO_BARRIER_WEAK
#endif
#ifndef STRONG
#define STRONG ISO_BARRIER_STRONG
#endif

/* A message; the data stays until the next iso_receive(). */
typedef struct {
    unsigned short sender;
    unsigned short length;
    void* data;
} iso_msg;

/* What is executed next: a message (tag ISO_MBM), or a notice of signals and barriers (tag BS_NOTICE). */
typedef struct {
    unsigned char tag;
    union {
        unsigned char bits;
        iso_msg msg;
    } info;
} iso_mbm;

/* The next in logical time. -1: there is none yet. */
int isoplane_isotach_receive(iso_mbm* message);
/* Ends the isochron, if there is one. Not 0: it cannot go now; try again. */
int isoplane_isotach_end(void);

/* Signals have channels 1 to 5, barriers 0 and 1. Not 0: there is no such channel, or it is registered. They
 * return when all nodes know of it; those that register a barrier only after others have entered it are not
 * waited for. */
int isoplane_isotach_register_signal(int channel);
int isoplane_isotach_register_barrier(int mode, int channel);
/* Not 0: there is no such channel. */
int isoplane_isotach_clear_signal(int channel);
int isoplane_isotach_clear_barrier(int channel);
/* Not 0: the channel is not registered, or this program is within an isochron. */
int isoplane_isotach_send_signal(int channel);
/* Also not 0: it was registered in another mode, or this program is in it already. The barrier is complete
 * when iso_receive() gives notice of it. */
int isoplane_isotach_barrier(int mode, int channel);

#ifdef __cplusplus
}
#endif

#define iso_poll() isoplane_net_poll()
#define iso_receive(message) isoplane_isotach_receive(message)
#define iso_end() isoplane_isotach_end()
#define iso_register_signal(channel) isoplane_isotach_register_signal(channel)
#define iso_clear_signal(channel) isoplane_isotach_clear_signal(channel)
#define iso_send_signal(channel) isoplane_isotach_send_signal(channel)
#define iso_register_barrier(mode, channel) isoplane_isotach_register_barrier(mode, channel)
#define iso_clear_barrier(channel) isoplane_isotach_clear_barrier(channel)
#define iso_barrier(mode, channel) isoplane_isotach_barrier(mode, channel)

#endif
