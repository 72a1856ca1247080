/* SPDX-License-Identifier: BSD-3-Clause */
/* What Loader.c and Guest.c, the two parts of the loader, know of each other. */
#pragma once

/* Tells the servers that this process ends in order, if it has no file open in memory. May be
 * called in a signal handler. Takes at most half a second. */
void LeaveServers(void);

/* Whether a core library is loaded, so that there may be a server. */
int HasServers(void);

/* From now on only we close a descriptor of this process; or no longer. */
void KeepDescriptor(int descriptor, int keep);
