// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
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

  /// How many of their bytes, from the first piece on, are before a place, where they are in rising
  /// order. Of a row of several pieces the one that the place is in counts whole.
  std::uint64_t BytesBefore(std::uint64_t place) const;

  /// Takes so many of their bytes away, from the first piece on, and returns those pieces.
  PieceRows TakeFirst(std::uint64_t bytes);

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

inline std::uint64_t PieceRows::BytesBefore(std::uint64_t place) const
{
  std::uint64_t bytes = 0;
  for (const PieceRow& row : this->Rows)
  {
    if (row.Begin >= place)
    {
      break;
    }
    const std::uint64_t behind = place - row.Begin;
    bytes += row.Count == 1
      ? std::min<std::uint64_t>(row.Size, behind)
      : row.Size * std::min<std::uint64_t>(row.Count, (behind + row.Stride - 1) / row.Stride);
  }
  return bytes;
}

inline PieceRows PieceRows::TakeFirst(std::uint64_t bytes)
{
  PieceRows first;
  auto row = this->Rows.begin();
  for (; row != this->Rows.end() && bytes >= std::uint64_t{ row->Size } * row->Count; ++row)
  {
    bytes -= std::uint64_t{ row->Size } * row->Count;
    first.Rows.push_back(*row);
  }
  PieceRows rest;
  if (bytes > 0 && row != this->Rows.end())
  {
    const auto whole = static_cast<std::uint32_t>(bytes / row->Size);
    const auto part = static_cast<std::uint32_t>(bytes % row->Size);
    if (whole > 0)
    {
      first.Rows.push_back({ row->Begin, row->Stride, row->Size, whole });
    }
    std::uint32_t taken = whole;
    if (part > 0)
    {
      const std::uint64_t cut = row->At(taken++);
      first.Rows.push_back({ cut, part, part, 1 });
      rest.Rows.push_back({ cut + part, row->Size - part, row->Size - part, 1 });
    }
    if (taken < row->Count)
    {
      rest.Rows.push_back({ row->At(taken), row->Stride, row->Size, row->Count - taken });
    }
    ++row;
  }
  rest.Rows.insert(rest.Rows.end(), row, this->Rows.end());
  this->Rows = std::move(rest.Rows);
  return first;
}

}
