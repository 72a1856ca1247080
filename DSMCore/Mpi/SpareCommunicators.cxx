// SPDX-License-Identifier: BSD-3-Clause
#include "Mpi/SpareCommunicators.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Mpi/Job.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

namespace dsm
{

namespace
{
// MPICH has two thousand communicators. A program has files on one or two groups of ranks, with
// some of them open at once.
constexpr std::size_t MostKept = 16;

struct Spare
{
  std::uint64_t Number;
  Communicator Ranks;
};

struct Table
{
  std::mutex Guard;
  std::vector<Spare> Spares; ///< in the order in which they were kept
  bool EndsAtFinalize = false;
};

// Never destroyed: HDF5 closes files after the static destructors have run.
Table& TheTable()
{
  static Table* const table = new Table;
  return *table;
}

void FreeAll()
{
  std::vector<Spare> spares;
  {
    Table& table = TheTable();
    const std::lock_guard lock(table.Guard);
    spares.swap(table.Spares);
  }
  for (Spare& spare : spares)
  {
    spare.Ranks.Free();
  }
}

bool HaveTheSameRanks(const Communicator& one, const Communicator& other)
{
  int result = MPI_UNEQUAL;
  if (one.Size() == other.Size() && one.Rank() == other.Rank())
  {
    CheckMpi(MPI_Comm_compare(one.Handle(), other.Handle(), &result), "MPI_Comm_compare");
  }
  return result == MPI_IDENT || result == MPI_CONGRUENT;
}
}

std::uint64_t SpareCommunicators::Find(const Communicator& ranks)
{
  Table& table = TheTable();
  const std::lock_guard lock(table.Guard);
  const auto found = std::find_if(table.Spares.begin(), table.Spares.end(),
    [&](const Spare& spare) { return HaveTheSameRanks(spare.Ranks, ranks); });
  return found == table.Spares.end() ? 0 : found->Number;
}

Communicator SpareCommunicators::Take(std::uint64_t number)
{
  Table& table = TheTable();
  const std::lock_guard lock(table.Guard);
  const auto found = std::find_if(table.Spares.begin(), table.Spares.end(),
    [&](const Spare& spare) { return spare.Number == number; });
  if (found == table.Spares.end())
  {
    throw Error(Fault::System,
      "cannot open a file: this rank has lost the communicator that rank 0 has chosen for it");
  }
  Communicator taken = std::move(found->Ranks);
  table.Spares.erase(found);
  return taken;
}

bool SpareCommunicators::MayKeep(const Communicator& communicator) noexcept
{
  if (communicator.Handle() == MPI_COMM_NULL)
  {
    return false;
  }
  try
  {
    Table& table = TheTable();
    const std::lock_guard lock(table.Guard);
    MPI_Comm parent = MPI_COMM_NULL;
    CheckMpi(MPI_Comm_get_parent(&parent), "MPI_Comm_get_parent");
    return table.Spares.size() < MostKept && parent == MPI_COMM_NULL &&
      communicator.Size() <= job::WorldSize();
  }
  catch (const std::exception&)
  {
    return false;
  }
}

void SpareCommunicators::Keep(std::uint64_t number, Communicator communicator) noexcept
{
  try
  {
    Table& table = TheTable();
    const std::lock_guard lock(table.Guard);
    if (!std::exchange(table.EndsAtFinalize, true))
    {
      job::AtFinalize(FreeAll);
    }
    table.Spares.push_back({ number, std::move(communicator) });
  }
  catch (const std::exception& error)
  {
    Log().warn("cannot keep a communicator for the next file: {}", error.what());
  }
}

}
