// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

/// Files on disk of a program that has loaded the library of a GPU. HDF5's own drivers hand a
/// buffer to the system, which refuses memory of a device, or to MPI, which dies of it. These
/// classes are copies of those drivers' whose reads and writes go by way of memory of the host if
/// the buffer is a device's. All else is the drivers' own.
namespace dsm::devicedisk
{

/// Returns the copy of HDF5's MPI-IO driver, or of sec2.
const H5FD_class_t& Class(bool parallel);

/// \name Which files have such a class
/// HDF5 compares files of one class only, so that a file that is opened twice must have the same
/// class both times.
///@{
/// Returns true if a file that is open now has that class.
bool Has(const char* name, bool parallel);
/// Notes a file until it is closed.
void Note(const H5FD_t* file, const char* name, bool parallel);
///@}

}
