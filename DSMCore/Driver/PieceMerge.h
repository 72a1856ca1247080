// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/StrongType.h"
#include "Driver/PieceRows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace dsm
{

/// Walks pieces that several ranks have sent by rising address. Each rank's come mostly in rising
/// order, and their bytes lie one behind the other in a buffer.
///
///     rank 0   0    24    48                          0 8 16 24 32 40 48 56 64
///     rank 1      8    32    56        ->
///     rank 2       16    40    64
class PieceMerge
{
public:
  /// A rank's pieces, of which the bytes begin at `position` of the buffer. The rows must stay.
  void Add(std::span<const PieceRow> rows, std::uint64_t position);

  /// Calls visit(address, size, position in the buffer) for each piece. May be called again.
  template <typename Visitor>
  void ForEach(const Visitor& visit) const;

private:
  /// Rows one behind the other, in rising order.
  struct Stream
  {
    const PieceRow* Row = nullptr;
    const PieceRow* End = nullptr;
    std::uint64_t Position = 0;
    FileOffset Address = 0;
    std::uint32_t Left = 0; ///< of the row, this piece included

    void Begin()
    {
      this->Address = FileOffset(this->Row->Begin);
      this->Left = this->Row->Count;
    }
    bool Next()
    {
      this->Position += this->Row->Size;
      if (--this->Left > 0)
      {
        this->Address += this->Row->Stride;
        return true;
      }
      if (++this->Row == this->End)
      {
        return false;
      }
      this->Begin();
      return true;
    }
  };

  std::vector<Stream> Streams;
};

inline void PieceMerge::Add(std::span<const PieceRow> rows, std::uint64_t position)
{
  const PieceRow* const end = rows.data() + rows.size();
  for (const PieceRow* row = rows.data(); row != end;)
  {
    Stream stream{ row, row, position, 0, 0 };
    stream.Begin();
    std::uint64_t reached = 0;
    while (stream.End != end && stream.End->Begin >= reached)
    {
      const PieceRow& added = *stream.End++;
      reached = added.At(added.Count - 1) + added.Size;
      position += std::uint64_t{ added.Count } * added.Size;
    }
    this->Streams.push_back(stream);
    row = stream.End;
  }
}

template <typename Visitor>
void PieceMerge::ForEach(const Visitor& visit) const
{
  std::vector<Stream> streams = this->Streams;
  // A heap of the streams, the one with the lowest address first.
  using Head = std::pair<std::uint64_t, Stream*>;
  std::vector<Head> heap;
  heap.reserve(streams.size());
  for (Stream& stream : streams)
  {
    heap.emplace_back(stream.Address, &stream);
  }
  const auto above = [](const Head& one, const Head& other) { return one > other; };
  std::make_heap(heap.begin(), heap.end(), above);
  const auto sink = [&heap](std::size_t at)
  {
    const Head sinking = heap[at];
    for (std::size_t child = 2 * at + 1; child < heap.size(); child = 2 * at + 1)
    {
      child += child + 1 < heap.size() && heap[child + 1] < heap[child] ? 1 : 0;
      if (sinking <= heap[child])
      {
        break;
      }
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = sinking;
  };
  while (!heap.empty())
  {
    Stream& lowest = *heap.front().second;
    std::uint64_t second = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t child = 1; child < std::min<std::size_t>(3, heap.size()); ++child)
    {
      second = std::min(second, heap[child].first);
    }
    bool more = true;
    do
    {
      visit(lowest.Address, std::uint64_t{ lowest.Row->Size }, lowest.Position);
      more = lowest.Next();
    } while (more && lowest.Address <= second);
    if (more)
    {
      heap.front().first = lowest.Address;
    }
    else
    {
      heap.front() = heap.back();
      heap.pop_back();
    }
    if (!heap.empty())
    {
      sink(0);
    }
  }
}

}
