// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dsm
{

/// Pieces of one size at one distance from each other, which is what regular selections consist of:
/// a column of a million rows is one. Travels between ranks as it is.
struct PieceRow
{
  std::uint64_t Begin = 0;
  std::uint64_t Stride = 0;
  std::uint32_t Size = 0;
  std::uint32_t Count = 0;

  std::uint64_t At(std::uint64_t index) const { return this->Begin + index * this->Stride; }
};

/// Pieces in their order, as rows. Those of a row do not overlap and lie one behind the other.
class PieceRows
{
public:
  /// `size` is below 2 GiB.
  void Add(std::uint64_t place, std::uint64_t size);
  void Clear() { this->Rows.clear(); }
  const std::vector<PieceRow>& List() const { return this->Rows; }
  std::size_t Bytes() const { return this->Rows.size() * sizeof(PieceRow); }

private:
  static constexpr std::uint64_t Largest = UINT64_C(1) << 31;

  std::vector<PieceRow> Rows;
};

inline void PieceRows::Add(std::uint64_t place, std::uint64_t size)
{
  if (!this->Rows.empty())
  {
    PieceRow& last = this->Rows.back();
    if (last.Count > 1 && size == last.Size && place == last.At(last.Count) && last.Count < Largest)
    {
      ++last.Count;
      return;
    }
    if (last.Count == 1 && place == last.Begin + last.Size && last.Size + size < Largest)
    {
      last.Size += static_cast<std::uint32_t>(size);
      return;
    }
    if (last.Count == 1 && size == last.Size && place > last.Begin + size)
    {
      last.Stride = place - last.Begin;
      last.Count = 2;
      return;
    }
  }
  this->Rows.push_back({ place, size, static_cast<std::uint32_t>(size), 1 });
}

}
