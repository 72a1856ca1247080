// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Cell.h"

#include <hdf5.h>
#include <mpi.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace bench
{

/// A file could not even be created or opened, on all ranks alike.
class NotPossible : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};

/// An access list for MPI-IO, or for our driver when there is a contact. Close with H5Pclose.
hid_t Access(MPI_Comm comm, const std::string& contact);

/// The files of one cell: D datasets of equal size, each shared out among the ranks in contiguous
/// pieces. Values tell their place, dataset and round, so that nothing old or misplaced passes.
class Files
{
public:
  Files(const Cell& cell, MPI_Comm comm);

  std::uint64_t Bytes() const; ///< of one file's datasets

  /// Makes the values of a round, outside of what is measured.
  void Prepare(int round);

  void Write(hid_t access, const std::string& name) const;

  /// Reads the share of the rank after this one.
  void Read(hid_t access, const std::string& name);

  /// Throws unless what was read last is what was written last.
  void Check(const std::string& name) const;

  /// Copies this rank's share to memory, and back from it.
  void CopyTo(char* memory) const;
  void CopyFrom(const char* memory);

  std::uint64_t ShareBytes() const { return this->Share * sizeof(double) * this->Datasets; }

private:
  double Value(hsize_t position, std::size_t dataset, int round) const;

  std::size_t Datasets;
  bool Collective;
  MPI_Comm Comm;
  int Rank = 0;
  int Ranks = 1;
  int Round = 0;
  hsize_t Share = 0;        ///< values of each dataset per rank
  std::vector<double> Mine; ///< dataset d's share begins at value d
  std::vector<double> Back;
};

}
