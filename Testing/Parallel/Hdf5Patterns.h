// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Driver/H5FDdsm.h"

#include <hdf5.h>
#include <mpi.h>

#include <string>
#include <vector>

/// An HDF5 file with a bit of everything parallel programs do, written and read back by all ranks
/// of a communicator (or by one process without MPI). What it holds depends on the layout's numbers
/// only, not on the number of ranks: so files written by different numbers can be compared.
namespace patterns
{

struct Layout
{
  bool Collective = true;  ///< transfers of raw data
  hsize_t UserBlock = 0;   ///< bytes before the HDF5 file
  bool Filters = true;     ///< also a compressed dataset (HDF5 wants collective writes for it)
  bool SelectionIo = true; ///< false turns HDF5's selection I/O off
  hsize_t Rows = 24;       ///< of each two-dimensional dataset
  hsize_t Columns = 30;
  bool LatestFormat = false; ///< H5F_LIBVER_LATEST
  H5FD_dsm_transfer_t Transfer = H5FD_DSM_TRANSFER_AUTO;
};

/// Who works together; the default is one process without MPI.
struct Team
{
  MPI_Comm Comm = MPI_COMM_NULL;
  int Rank = 0;
  int Size = 1;

  static Team Of(MPI_Comm comm);
  void Barrier() const;
};

/// Creates and closes the file. Fails the current test on any error.
void Write(const std::string& name, hid_t fapl, const Team& team, const Layout& layout);

/// Opens it again for writing: changes a dataset, extends one, adds one and an attribute.
void Append(const std::string& name, hid_t fapl, const Team& team, const Layout& layout);

/// Opens it read-only and checks every value, read along other cuts than it was written.
void Check(const std::string& name, hid_t fapl, const Team& team, const Layout& layout,
  bool appended = false);

/// The bytes of a file on disk.
std::vector<char> Bytes(const std::string& path);

/// Runs h5diff; true when it finds no difference in data, attributes and structure.
bool SameContents(const std::string& one, const std::string& other);

}
