/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* What the functions of myri_api0.h return: 0 or more when they have done what they were asked for, else one
 * of these. */
#ifndef ISOPLANE_MYRI_API0_RC_H
#define ISOPLANE_MYRI_API0_RC_H

#define MYRI_API0_OK 0
#define MYRI_API0_NOT_INIT (-1)        /* myri_api0_init() comes first, and closing is the end */
#define MYRI_API0_BAD_UNIT (-2)        /* there is one board, 0 */
#define MYRI_API0_BAD_CHAN (-3)        /* no such channel */
#define MYRI_API0_CHAN_IN_USE (-4)     /* that channel is somebody's */
#define MYRI_API0_NO_CHANS (-5)        /* all channels are somebody's */
#define MYRI_API0_CHAN_NOT_IN_USE (-6) /* nobody has got that channel */
#define MYRI_API0_NO_BUFFERS (-7)      /* all send buffers are in use: free some, or try again */
#define MYRI_API0_BAD_BUFFER (-8)      /* not a buffer that this API has given, or freed already */
#define MYRI_API0_BUFFER_BUSY (-9)     /* it is still being sent */
#define MYRI_API0_BAD_LENGTH (-10)     /* less than nothing, or more than fits */
#define MYRI_API0_BAD_ROUTE (-11)      /* no such route, or one that leads nowhere */
#define MYRI_API0_NO_ROUTES (-12)      /* there are as many routes as there can be */
#define MYRI_API0_SEND_FULL (-13)      /* it cannot be sent now: try again */
#define MYRI_API0_UNREACHABLE (-14)    /* the node at the end of the route is not there */
#define MYRI_API0_NO_PACKET (-15)      /* nothing has come */
#define MYRI_API0_NOT_LOCKED (-16)     /* this thread does not have the lock */

#endif
