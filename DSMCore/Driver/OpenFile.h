// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/FileMark.h"
#include "Driver/MasterFile.h"
#include "Driver/MemoryFile.h"
#include "Mpi/Communicator.h"
#include "Mpi/Info.h"

#include <hdf5.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace dsm
{

/// The number of looks at a name that other programs change all the time.
constexpr int MostLooks = 100;

/// The driver's part of a file access list. Its communicator is the list's, so this must not
/// outlive the callback.
struct AccessList
{
  /// The list's own, as long as nothing has been decided; then one of ours.
  Communicator Ranks = Communicator::Single();
  std::uint64_t RanksNumber = 0; ///< by which ours is kept (SpareCommunicators); 0: it is not
  Info Keys;
  std::string Contact;              ///< empty when the environment's counts
  std::optional<MasterFile> Master; ///< the file that leads to the one that is opened
  bool IsPart = false; ///< HDF5 opens it, probably, for a virtual dataset or an external link
  bool Locks = true;   ///< what is written is locked (UsesFileLocking)
  /// The file that OpenInMemory has found foreign, which is no placeholder; on rank 0 only.
  std::optional<FileMark> Foreign{};

  static AccessList Read(hid_t fapl);
  bool Parallel() const { return this->Ranks.Handle() != MPI_COMM_NULL; }
};

/// Opens a file in memory, and takes the list's communicator then; null when the file is foreign:
/// HDF5's own driver is to open it. Collective over the list's communicator: rank 0 decides, and
/// all ranks succeed or throw together.
std::unique_ptr<OpenMemoryFile> OpenInMemory(
  const std::string& name, unsigned flags, AccessList& access);

/// Returns whether what HDF5's own driver has opened may be in memory: it is a placeholder, or not
/// the file that OpenInMemory has found foreign. Another program has created it under that name
/// since, or has moved it there. `descriptor`: of what was opened; without it the name counts.
/// Collective as above.
bool MayBeInMemory(
  const std::string& name, std::optional<int> descriptor, const AccessList& access);

/// Deletes a file in memory: no snapshot is found under its name any more. False when the name is
/// that of no such file, so that HDF5's own driver is to delete it. Collective as above.
bool DeleteInMemory(const std::string& name, const AccessList& access);

}
