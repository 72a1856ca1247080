// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Contents.h"
#include "Plan.h"

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

namespace selections
{

/// Where the file is.
enum class Storage
{
  Memory,
  /// Kept longer than HDF5 has it while it is written: beyond the end of a file ROMIO fills the
  /// gaps between the pieces of a transfer with what happens to be in its buffer; where there are
  /// zeros already it leaves them.
  Disk,
  /// And what HDF5 can transfer independently is transferred so, whatever the plan says: MPICH's
  /// ROMIO aborts on some of the types that describe collective transfers.
  DiskIndependently
};

/// What is wrong. Equal to another where the same is wrong; what a wrong element happened to be may
/// differ, for HDF5 leaves some of them as its memory was.
struct Complaint
{
  std::string What;
  std::string Found;

  bool operator==(const Complaint& other) const { return this->What == other.What; }
};

/// A case's sessions with one driver, on one rank: opens the file, does the steps, compares what it
/// reads with what is to be there (Contents). Uses HDF5, and of ours a transfer's mode.
class FileRun
{
public:
  /// `at` is called with what the rank is about to do, for those who look at one that hangs.
  FileRun(const Plan& plan, Storage where, std::function<void(const std::string&)> at);

  /// Session number `index` of the plan, by the ranks of `comm`. `access` names driver and
  /// communicator. Collective over `comm`; ranks that take no part call Skip. What is wrong is
  /// added to Complaints.
  void Do(std::size_t index, const std::string& name, hid_t access, MPI_Comm comm);

  /// Without a file: what the session leaves behind is to be there for the next.
  void Skip(std::size_t index);

  const std::vector<Complaint>& Complaints() const { return this->Wrong; }

private:
  struct Buffer;
  class OpenSession;

  void Complain(const std::string& what, const std::string& found = {});
  /// Of a call's result, which is negative where it failed.
  void Require(hid_t result, const std::string& call);
  void Imagine(const Step& step);
  void Compare(const DatasetMove& move, const Buffer& buffer, int rank);

  const Plan& Case;
  Storage Where;
  std::function<void(const std::string&)> At;
  std::vector<Contents> Expected;
  std::vector<Complaint> Wrong;
  std::string Doing;
};

}
