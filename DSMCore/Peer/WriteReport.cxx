// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/WriteReport.h"

#include <bit>

namespace dsm
{

Totals WriteReport::ToTotals() const
{
  Totals totals;
  // Times are not negative, so their bits have the numbers' order (IEEE 754).
  totals.Maxima = { this->Reach, std::bit_cast<std::uint64_t>(this->Statistics.WriteSeconds),
    std::bit_cast<std::uint64_t>(this->Statistics.BlockedSeconds), this->Changed ? UINT64_C(1) : 0,
    this->Finished ? 0 : UINT64_C(1), this->Objects, ~this->Objects,
    this->KeepsRanks ? 0 : UINT64_C(1) };
  totals.Sums = this->Statistics.HostBytes;
  totals.Sums.push_back(this->Statistics.Bytes);
  return totals;
}

WriteReport WriteReport::FromTotals(const Totals& totals)
{
  WriteReport all;
  all.Reach = totals.Maxima[0];
  all.Statistics.WriteSeconds = std::bit_cast<double>(totals.Maxima[1]);
  all.Statistics.BlockedSeconds = std::bit_cast<double>(totals.Maxima[2]);
  all.Changed = totals.Maxima[3] != 0;
  all.Finished = totals.Maxima[4] == 0;
  all.Objects = totals.Maxima[5];
  all.ObjectsDiffer = totals.Maxima[5] != ~totals.Maxima[6];
  all.KeepsRanks = totals.Maxima[7] == 0;
  all.Statistics.HostBytes.assign(totals.Sums.begin(), totals.Sums.end() - 1);
  all.Statistics.Bytes = totals.Sums.back();
  return all;
}

}
