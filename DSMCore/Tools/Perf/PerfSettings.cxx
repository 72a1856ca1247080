// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/Perf/PerfSettings.h"

#include "Base/Environment.h"
#include "Base/Error.h"

namespace dsm::perf
{

std::vector<std::uint64_t> PerfSettings::Transfers() const
{
  const std::uint64_t most =
    this->LargestTransfer > 0 ? this->LargestTransfer : this->BytesPerProcess;
  const std::uint64_t least =
    this->SmallestTransfer > 0 ? this->SmallestTransfer : this->BytesPerProcess / 2;
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = least; size > 0 && size <= most; size *= 2)
  {
    sizes.push_back(size);
  }
  return sizes;
}

std::vector<int> PerfSettings::Processes(int all) const
{
  std::vector<int> counts;
  for (int count = this->MostProcesses > 0 ? this->MostProcesses : all;
    count >= this->LeastProcesses && count > 0; count /= 2)
  {
    counts.push_back(count);
  }
  return counts;
}

void PerfSettings::Check(int all) const
{
  const auto transfers = this->Transfers();
  if (transfers.empty())
  {
    throw Error(
      Fault::Usage, "the smallest transfer (-x) is larger than the largest (-X, else -e)");
  }
  for (const std::uint64_t transfer : transfers)
  {
    if (this->BytesPerProcess % transfer != 0)
    {
      throw Error(Fault::Usage,
        "{} of a process in a dataset (-e) are no multiple of transfers of {} (-x, -X)",
        environment::FormatBytes(this->BytesPerProcess), environment::FormatBytes(transfer));
    }
    if (this->Interleaved &&
      (this->BlockOf(transfer) == 0 || transfer % this->BlockOf(transfer) != 0))
    {
      throw Error(Fault::Usage, "transfers of {} (-x, -X) are no multiple of blocks of {} (-B)",
        environment::FormatBytes(transfer), environment::FormatBytes(this->BlockOf(transfer)));
    }
  }
  if (this->MostProcesses > all)
  {
    throw Error(Fault::Usage, "{} processes were asked for (-P), and mpiexec has started {}",
      this->MostProcesses, all);
  }
  if (this->Processes(all).empty())
  {
    throw Error(Fault::Usage, "fewer processes than the least (-p) were asked for");
  }
}

}
