/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Shared memory in logical time, as programs for the Ironman messaging layer know it: isochrons of accesses
 * to variables of 32 bits. Which nodes hold a copy of a variable, shmem_map says for its page. */
#ifndef ISOPLANE_ISO_SMM_H
#define ISOPLANE_ISO_SMM_H

#ifdef ISOPLANE_ISO_MBM_H
#error iso_smm.h and iso_mbm.h do not go together: a program has shared memory or messages in logical time
#endif

#include <isotach.h>
#undef ISOPLANE_LOGICAL_TIME
#define ISOPLANE_LOGICAL_TIME 2

#ifdef __cplusplus
extern "C" {
#endif

/* Why an access was refused; it is not in the isochron then, and those before it still are. */
#define ISO_BAD_ADDRESS 2    /* no node has a copy of that page, or there is none */
#define ISO_BAD_SCHED 3      /* scheduled already by this node; or assigned, and it has not scheduled it */
#define ISO_TOO_MANY_READS 4 /* are outstanding: retrieve some */

/* Reads that may be outstanding. */
#define READ_CAP 4096

typedef unsigned int shmem_addr_t;

/* Where a read puts its value: it is there when iso_retrieve() has returned. */
struct iso_var32 {
    long value;
};
typedef struct iso_var32 iso_var32;

/* An access joins the isochron that is being made, which goes when it is the last: that waits until it can.
 * 0, or one of the codes above. */
int isoplane_smm_read(shmem_addr_t at, iso_var32* variable, int last_in_isochron);
int isoplane_smm_write(shmem_addr_t at, long value, int last_in_isochron);
int isoplane_smm_sched(shmem_addr_t at, int last_in_isochron);
int isoplane_smm_assign(shmem_addr_t at, long value, int last_in_isochron);
/* Waits for the value of the last read into that variable, whose isochron has to have ended. */
long isoplane_smm_retrieve(iso_var32* variable);
/* Ends the isochron, if there is one. 0. */
int isoplane_smm_end(void);

#ifdef __cplusplus
}
#endif

#define isovar iso_var32
#define iso_read(at, variable, last_in_isochron) isoplane_smm_read(at, variable, last_in_isochron)
#define iso_retrieve(variable) isoplane_smm_retrieve(variable)
#define iso_write(at, value, last_in_isochron) isoplane_smm_write(at, value, last_in_isochron)
#define iso_sched(at, last_in_isochron) isoplane_smm_sched(at, last_in_isochron)
#define iso_assign(at, value, last_in_isochron) isoplane_smm_assign(at, value, last_in_isochron)
#undef iso_end
#define iso_end() isoplane_smm_end()

#endif
