/* SPDX-License-Identifier: BSD-3-Clause */
/* The HDF5 libraries of this process, of which Loader.c keeps a list, as one. */
#pragma once

#include "LoadedObjects.h"

/*
 * Makes our driver the default of each HDF5 that this process has loaded since the call before with
 * the same `before`. Of one that cannot have it, one line on standard error says why.
 */
void SetDefaultDriver(LookedInto* before);

/* Undoes that, and leaves the servers if no file is open in memory. */
void UnsetDefaultDriver(void);

/*
 * Loads another library of ours that is linked with no HDF5, once: on top of the first HDF5 that
 * has our driver as its default. Null when there is none, or when that fails, then with the reason
 * in `whyNot`.
 */
void* LoadOnHdf5(const char* path, char* whyNot, size_t whyNotSize);
