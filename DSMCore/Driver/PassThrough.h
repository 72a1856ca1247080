// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <optional>

/// Files that are not ours. They are not wrapped: HDF5's own driver opens them, and from then on
/// HDF5 calls that driver directly, so they behave in every respect as they would without us.
///
/// How: H5FD_open sets the public `cls` of what a driver's `open` returned to that driver's class,
/// and asks it for its features at once. There the file's class becomes the real one:
///
///     HDF5            our open                    the real driver
///     H5FD_open  ->   PassThrough::Open      ->   open
///                <-   its H5FD_t             <-
///     file->cls = our class
///     cls->query ->   PassThrough::TakeOver
///                     file->cls = real class ->   query
///     read, write, lock, cmp, close, …       ->   (directly)
///
/// If the program has loaded the library of a GPU by then, the file gets a copy of that class which
/// takes buffers in the GPU's memory (DeviceDisk).
namespace dsm::passthrough
{

/// Opens with the MPI-IO driver when the program gave a communicator, else with sec2. What the real
/// driver leaves on HDF5's error stack stays there.
H5FD_t* Open(bool parallel, const char* name, unsigned flags, hid_t fapl, haddr_t maxaddr);

/// Returns the descriptor of what Open has opened, before it is queried; none if that failed, or
/// the driver has no descriptor (MPI-IO).
std::optional<int> Descriptor(H5FD_t* file);

/// Closes what Open has opened, before it is queried. Does nothing if that failed.
void Close(H5FD_t* file);

/// The first query after Open: true when the file is foreign, with its features and the result.
bool TakeOver(const H5FD_t* file, unsigned long* flags, herr_t& result);

/// Deletes a file on disk.
herr_t Delete(bool parallel, const char* name, hid_t fapl);

}
