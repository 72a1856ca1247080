/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Included before all else here: nothing asks HDF5 whether it is the one that these headers are of
 * (H5check, in H5F_ACC_TRUNC and others), which would end a program with another. The loader takes
 * those only whose driver class and functions are the same.
 */
#include <hdf5.h>

#undef H5CHECK
#define H5CHECK
