/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* For programs that ask for the interfaces of another implementation: they get the default one, by all its
 * names. */
#ifndef ISOPLANE_P3NAL_UTCP_H
#define ISOPLANE_P3NAL_UTCP_H

#include "p3nal_isoplane.h"

#define PTL_IFACE_UTCP PTL_IFACE_DEFAULT
#define PTL_IFACE_UTCP0 PTL_IFACE_DEFAULT
#define PTL_IFACE_UTCP1 PTL_IFACE_DEFAULT
#define PTL_IFACE_UTCP2 PTL_IFACE_DEFAULT
#define PTL_IFACE_UTCP3 PTL_IFACE_DEFAULT

#endif
