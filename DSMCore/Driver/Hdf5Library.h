// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>
#include <mpi.h>

#include <optional>
#include <string>

/// What a driver needs of HDF5 and does not find in its public headers. All of it is looked up in
/// the very HDF5 library this one is linked with, by name: a process may hold several.
namespace dsm::hdf5library
{

/// The file of that library.
std::string Path();

/// The classes of HDF5's own drivers. Throws Error(Unsupported) when the library hides them.
const H5FD_class_t& Sec2();
const H5FD_class_t& Mpio();

/// HDF5 2 has its MPI-IO driver's identifier, H5FD_MPIO, in a variable: makes it that of another
/// driver. `Mpio` stays what it was. Nothing happens in HDF5 1, where H5FD_MPIO calls a function,
/// which can be preloaded. Only where HDF5 is locked or one thread uses it.
void StandInForMpio(hid_t driver);

/// Has HDF5 ask the variable HDF5_DRIVER for its default driver once more, as it does when it
/// starts: of H5P_DEFAULT, and of lists that are made from now on. False when the library hides
/// the function. Only where one thread uses HDF5.
bool AskForDefaultDriver();

/// The class of a registered driver, null when there is none or the library hides it.
const H5FD_class_t* ClassOf(hid_t driver);

/// The communicator and info of a file access list, duplicated; null handles where it has none, and
/// where HDF5 is a serial one. To be freed by the caller. False when HDF5 does not tell.
bool GetMpi(hid_t fapl, MPI_Comm* comm, MPI_Info* info);

/// The communicator and info of a file access list.
struct MpiHandles
{
  MPI_Comm Comm = MPI_COMM_NULL;
  MPI_Info Keys = MPI_INFO_NULL;
};
/// Returns those that the list itself has, which are HDF5's own duplicates. They stay valid as long
/// as nobody changes or closes the list: during a callback that was given the list. Returns nothing
/// if HDF5 hides the functions for this.
std::optional<MpiHandles> PeekMpi(hid_t fapl);

/// The inverse of GetMpi: HDF5 keeps duplicates. False when it does not take them.
bool SetMpi(hid_t fapl, MPI_Comm comm, MPI_Info info);

/// Whether a file has locks. HDF5 asks the file for them, and the class of the access list whether
/// to leave and to heed the marks of writers in the superblock (SWMR needs them): with a driver
/// whose files are of several kinds, that class has to be as the file that is being opened. Only
/// within the driver's `open`, where HDF5 is locked.
using LockFunction = herr_t (*)(H5FD_t*, hbool_t);
void SetLock(hid_t fapl, LockFunction lock);

/// Throws Error(Unsupported) when the functions below cannot work with this library.
void RequireTransferContext();

/// True when the transfer under way is collective: all ranks of the file are in this callback. The
/// transfer property list does not tell: only HDF5's own call context does. False when
/// RequireTransferContext would throw.
bool TransferIsCollective();

/// True when HDF5 has found that all ranks read the whole of one dataset, in the collective read
/// under way: then one of them can read it for all. Its MPI-IO driver does so as well.
bool AllReadTheSame();

/// The MPI types of a collective scalar transfer. HDF5 then calls `read` or `write` with an element
/// count in the place of the size, and leaves the types in its call context. Both are MPI_BYTE when
/// the count is in bytes. They belong to HDF5.
struct TransferTypes
{
  MPI_Datatype Memory = MPI_BYTE;
  MPI_Datatype File = MPI_BYTE;
};
TransferTypes CollectiveTypes();

}
