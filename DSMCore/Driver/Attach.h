/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exported by the loader, for dsm_attach and dsm.attach. Not while another thread is in HDF5 or
 * asks for variables of the environment.
 */
#pragma once

/*
 * Couples this process with the server of the contact file; NULL or "" takes it from DSM_CONTACT,
 * else it is run.dsm. Returns null, or what is wrong, to be copied before the next call. May be
 * called again, also for another server.
 */
const char* DsmAttach(const char* contact);

/* Couples the HDF5 libraries that were loaded since, if the process is coupled. */
void DsmAttachLoaded(void);

/*
 * Loads a library that is linked with no HDF5 (DSMCore/AnyHdf5) on top of one that is coupled.
 * Returns dlopen's handle; null if that fails, and why, to be copied before the next call.
 */
void* DsmLoad(const char* path, const char** problem);

/* Undoes it. Files that are open stay as they are. */
void DsmDetach(void);
