// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace dsm
{

/// An MPI datatype taken apart, to move the bytes it describes without MPI.
///
/// The type is decoded once into a tree whose size is that of the type's description, not of the
/// data: a vector of a million rows is one node. A cursor then walks the tree and hands out runs of
/// consecutive bytes in type-map order, which is the order in which MPI matches one type with
/// another.
///
///     MPI_Type_vector(3, 2, 4, MPI_INT)     Repeat 3 times, every 16 bytes
///     ##..##..##                              Bytes 8
///
/// Throws Error(Unsupported) on what no file selection ever uses: pair types such as
/// MPI_DOUBLE_INT, distributed arrays, large-count descriptions.
class FlatDatatype
{
public:
  /// `count` elements of `type`, one after another at the type's extent.
  FlatDatatype(MPI_Datatype type, std::uint64_t count);

  /// Bytes that the whole describes.
  std::uint64_t Size() const;

  struct Node;

private:
  friend class DatatypeCursor;
  std::shared_ptr<const Node> Root;
};

/// A run of consecutive bytes; the displacement is relative to the buffer's or view's beginning.
struct DatatypeRun
{
  std::int64_t Displacement = 0;
  std::uint64_t Length = 0;
};

/// Walks the runs of a FlatDatatype. The datatype must outlive it.
class DatatypeCursor
{
public:
  explicit DatatypeCursor(const FlatDatatype& type);

  /// The next run, or a run of length 0 at the end.
  DatatypeRun Next();

private:
  struct Frame
  {
    const FlatDatatype::Node* At = nullptr;
    std::int64_t Base = 0;
    std::uint64_t Index = 0;
  };
  std::vector<Frame> Stack; // as deep as the type is nested
};

/// Calls visit(first displacement, second displacement, length) for each pair of runs when the
/// bytes of two types are matched in order; ends with the shorter of the two.
template <typename Visitor>
void ForEachMatchedRun(const FlatDatatype& first, const FlatDatatype& second, Visitor&& visit)
{
  DatatypeCursor firstCursor(first);
  DatatypeCursor secondCursor(second);
  DatatypeRun a = firstCursor.Next();
  DatatypeRun b = secondCursor.Next();
  while (a.Length > 0 && b.Length > 0)
  {
    const std::uint64_t length = a.Length < b.Length ? a.Length : b.Length;
    visit(a.Displacement, b.Displacement, length);
    for (auto* side : { &a, &b })
    {
      side->Displacement += static_cast<std::int64_t>(length);
      side->Length -= length;
    }
    if (a.Length == 0)
    {
      a = firstCursor.Next();
    }
    if (b.Length == 0)
    {
      b = secondCursor.Next();
    }
  }
}

}
