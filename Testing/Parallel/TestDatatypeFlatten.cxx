// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Mpi/DatatypeFlatten.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <random>

namespace
{

/// A datatype for the time of a test.
struct Type
{
  MPI_Datatype Handle = MPI_DATATYPE_NULL;

  Type() = default;
  Type(Type&& other) noexcept { std::swap(this->Handle, other.Handle); }
  Type& operator=(Type&& other) noexcept
  {
    std::swap(this->Handle, other.Handle);
    return *this;
  }
  ~Type()
  {
    if (this->Handle != MPI_DATATYPE_NULL)
    {
      MPI_Type_free(&this->Handle);
    }
  }
};

/// What MPI itself takes out of a buffer with the type, against what the runs take out.
void ExpectAsMpiPacks(MPI_Datatype type, int count)
{
  MPI_Type_commit(&type);
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  MPI_Aint trueLower = 0;
  MPI_Aint trueExtent = 0;
  MPI_Type_get_extent(type, &lower, &extent);
  MPI_Type_get_true_extent(type, &trueLower, &trueExtent);
  // Room for displacements below zero and for extents that are smaller than what they hold.
  const std::size_t reach =
    static_cast<std::size_t>(std::abs(extent) * count + std::abs(trueLower) + trueExtent + 64);
  std::vector<unsigned char> buffer(2 * reach);
  std::mt19937 random(7);
  for (auto& byte : buffer)
  {
    byte = static_cast<unsigned char>(random());
  }
  unsigned char* origin = buffer.data() + reach;

  int size = 0;
  MPI_Pack_size(count, type, MPI_COMM_SELF, &size);
  std::vector<unsigned char> packed(static_cast<std::size_t>(size) + 1);
  int position = 0;
  ASSERT_EQ(
    MPI_SUCCESS, MPI_Pack(origin, count, type, packed.data(), size, &position, MPI_COMM_SELF));
  packed.resize(static_cast<std::size_t>(position));

  const dsm::FlatDatatype flat(type, static_cast<std::uint64_t>(count));
  std::vector<unsigned char> taken;
  dsm::DatatypeCursor cursor(flat);
  for (auto run = cursor.Next(); run.Length > 0; run = cursor.Next())
  {
    taken.insert(taken.end(), origin + run.Displacement,
      origin + run.Displacement + static_cast<std::ptrdiff_t>(run.Length));
  }
  EXPECT_EQ(flat.Size(), taken.size());
  EXPECT_EQ(packed, taken);
}

TEST(DatatypeFlatten, Predefined)
{
  ExpectAsMpiPacks(MPI_BYTE, 17);
  ExpectAsMpiPacks(MPI_DOUBLE, 3);
  ExpectAsMpiPacks(MPI_INT, 0);
}

TEST(DatatypeFlatten, ContiguousIsOneRun)
{
  Type type;
  MPI_Type_contiguous(5, MPI_INT, &type.Handle);
  ExpectAsMpiPacks(type.Handle, 4);
  const dsm::FlatDatatype flat(type.Handle, 4);
  dsm::DatatypeCursor cursor(flat);
  EXPECT_EQ(80u, cursor.Next().Length);
  EXPECT_EQ(0u, cursor.Next().Length);
}

TEST(DatatypeFlatten, VectorsNest)
{
  Type row;
  MPI_Type_vector(4, 2, 3, MPI_SHORT, &row.Handle);
  ExpectAsMpiPacks(row.Handle, 3);
  Type plane;
  MPI_Type_create_hvector(3, 2, 101, row.Handle, &plane.Handle);
  ExpectAsMpiPacks(plane.Handle, 2);
}

TEST(DatatypeFlatten, NegativeStride)
{
  Type type;
  MPI_Type_vector(4, 1, -2, MPI_INT, &type.Handle);
  ExpectAsMpiPacks(type.Handle, 1);
}

TEST(DatatypeFlatten, Indexed)
{
  const int lengths[] = { 2, 0, 1, 3 };
  const int displacements[] = { 7, 3, 0, 12 };
  Type indexed;
  MPI_Type_indexed(4, lengths, displacements, MPI_INT, &indexed.Handle);
  ExpectAsMpiPacks(indexed.Handle, 3);

  const MPI_Aint addresses[] = { 70, 3, 0, 121 };
  Type hindexed;
  MPI_Type_create_hindexed(4, lengths, addresses, MPI_CHAR, &hindexed.Handle);
  ExpectAsMpiPacks(hindexed.Handle, 2);

  Type block;
  MPI_Type_create_indexed_block(4, 2, displacements, MPI_DOUBLE, &block.Handle);
  ExpectAsMpiPacks(block.Handle, 2);

  Type hblock;
  MPI_Type_create_hindexed_block(4, 3, addresses, MPI_BYTE, &hblock.Handle);
  ExpectAsMpiPacks(hblock.Handle, 2);
}

TEST(DatatypeFlatten, StructAndResized)
{
  Type vector;
  MPI_Type_vector(3, 1, 2, MPI_BYTE, &vector.Handle);
  const int lengths[] = { 1, 2, 4 };
  const MPI_Aint displacements[] = { 40, 0, 20 };
  const MPI_Datatype types[] = { MPI_DOUBLE, vector.Handle, MPI_SHORT };
  Type structure;
  MPI_Type_create_struct(3, lengths, displacements, types, &structure.Handle);
  ExpectAsMpiPacks(structure.Handle, 2);

  Type resized;
  MPI_Type_create_resized(structure.Handle, -8, 100, &resized.Handle);
  ExpectAsMpiPacks(resized.Handle, 3);

  Type duplicate;
  MPI_Type_dup(resized.Handle, &duplicate.Handle);
  ExpectAsMpiPacks(duplicate.Handle, 3);
}

TEST(DatatypeFlatten, Subarray)
{
  const int sizes[] = { 5, 6, 7 };
  const int subsizes[] = { 2, 3, 4 };
  const int starts[] = { 1, 2, 0 };
  for (const int order : { MPI_ORDER_C, MPI_ORDER_FORTRAN })
  {
    Type type;
    MPI_Type_create_subarray(3, sizes, subsizes, starts, order, MPI_INT, &type.Handle);
    ExpectAsMpiPacks(type.Handle, 2);
  }
}

TEST(DatatypeFlatten, PairTypesAreRefused)
{
  try
  {
    const dsm::FlatDatatype flat(MPI_SHORT_INT, 1);
    FAIL() << "a type with a gap inside was taken for a run of bytes";
  }
  catch (const dsm::Error& error)
  {
    EXPECT_EQ(dsm::Fault::Unsupported, error.GetFault());
  }
}

// Types of random shape, a few levels deep.
Type RandomType(std::mt19937& random, int depth)
{
  const auto upTo = [&](int most) { return static_cast<int>(random() % (most + 1)); };
  Type child;
  if (depth == 0)
  {
    const MPI_Datatype named[] = { MPI_BYTE, MPI_SHORT, MPI_INT, MPI_DOUBLE };
    MPI_Type_contiguous(1 + upTo(2), named[upTo(3)], &child.Handle);
    return child;
  }
  child = RandomType(random, depth - 1);
  Type made;
  const int lengths[] = { upTo(3), 1 + upTo(2), upTo(2) };
  const int displacements[] = { upTo(4), 6 + upTo(4), 14 + upTo(4) };
  switch (upTo(3))
  {
    case 0:
      MPI_Type_vector(1 + upTo(3), 1 + upTo(2), 3 + upTo(3), child.Handle, &made.Handle);
      break;
    case 1:
      MPI_Type_indexed(3, lengths, displacements, child.Handle, &made.Handle);
      break;
    case 2:
      MPI_Type_create_hvector(1 + upTo(3), 1, 300 + upTo(50), child.Handle, &made.Handle);
      break;
    default:
      MPI_Type_create_resized(child.Handle, 0, 200 + upTo(100), &made.Handle);
  }
  return made;
}

TEST(DatatypeFlatten, RandomTypes)
{
  std::mt19937 random(2011);
  for (int round = 0; round < 300; ++round)
  {
    SCOPED_TRACE(round);
    Type type = RandomType(random, 1 + round % 4);
    ExpectAsMpiPacks(type.Handle, 1 + round % 3);
    if (HasFailure())
    {
      return;
    }
  }
}

// Two descriptions of the same bytes, matched: what a collective transfer does.
TEST(DatatypeFlatten, MatchesTwoTypes)
{
  Type columns;
  MPI_Type_vector(4, 2, 5, MPI_INT, &columns.Handle);
  Type pairs;
  MPI_Type_vector(2, 4, 9, MPI_INT, &pairs.Handle);
  std::vector<int> from(40);
  for (int i = 0; i < 40; ++i)
  {
    from[static_cast<std::size_t>(i)] = i;
  }
  std::vector<int> to(40, -1);
  dsm::ForEachMatchedRun(dsm::FlatDatatype(columns.Handle, 1), dsm::FlatDatatype(pairs.Handle, 1),
    [&](std::int64_t source, std::int64_t target, std::uint64_t length)
    {
      std::memcpy(reinterpret_cast<char*>(to.data()) + target,
        reinterpret_cast<const char*>(from.data()) + source, length);
    });
  const std::vector<int> front(to.begin(), to.begin() + 13);
  EXPECT_EQ((std::vector<int>{ 0, 1, 5, 6, -1, -1, -1, -1, -1, 10, 11, 15, 16 }), front);
}

}
