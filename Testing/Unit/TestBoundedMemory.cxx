// SPDX-License-Identifier: BSD-3-Clause
// The server's memory is bounded, also if names differ in more than their numbers.
#include "Server/Core/SnapshotGroups.h"
#include "Server/Core/StreamBook.h"
#include "Server/Core/StreamTable.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include <malloc.h>

namespace
{

using namespace dsm;

// Returns a name without a number.
std::string NameOf(std::size_t file)
{
  std::string letters = fmt::format("{:o}", file);
  for (char& letter : letters)
  {
    letter = static_cast<char>('a' + (letter - '0'));
  }
  return fmt::format("/run/{}.h5", letters);
}

std::size_t Allocated()
{
  return mallinfo2().uordblks;
}

// Checks that as many files again take no more memory. `files`: more than are known.
template <typename Enter>
void ExpectBounded(std::size_t files, const Enter& enter)
{
  const std::size_t before = Allocated();
  std::array<std::size_t, 2> most{};
  for (std::size_t file = 0; file < 2 * files; ++file)
  {
    enter(file);
    std::size_t& round = most[file / files];
    round = std::max(round, Allocated() - before);
  }
  EXPECT_LE(most[1], most[0] + most[0] / 8);
}

TEST(BoundedMemory, StreamTable)
{
  StreamTable table;
  table.Enter("/run/out.0.h5", 1);
  ExpectBounded(70000,
    [&](std::size_t file)
    {
      table.Enter(NameOf(file), 1);
      table.Enter("/run/out.0.h5", 1);
    });
  EXPECT_EQ(table.Enter("/run/out.7.h5", 1), 140001) << "what is used stays";
}

TEST(BoundedMemory, StreamBook)
{
  StreamBook book;
  const StreamBook::Writer writer{ "a", "sim", "a" };
  const auto isPresent = [](const std::string&) { return true; };
  ExpectBounded(33000,
    [&](std::size_t file)
    {
      book.Enter(NameOf(file), writer, isPresent, false);
      const auto known = book.Enter(fmt::format("/run/out.{}.h5", file), writer, isPresent, false);
      ASSERT_EQ(known.Stream, "out.#.h5");
    });
}

TEST(BoundedMemory, SnapshotGroups)
{
  SnapshotGroups groups;
  const auto begin = Clock::now();
  ExpectBounded(3000,
    [&](std::size_t file)
    {
      const auto now = begin + std::chrono::milliseconds(100) * file;
      groups.Begun(ImageId(file + 1), { "peer", "job", 2, true }, NameOf(file), now);
      groups.Sealed(ImageId(file + 1), SnapshotId(file + 1), false);
      groups.Due(SnapshotId(file + 1), now);
      groups.TakeReady(now);
      if (file > 100)
      {
        groups.Left(SnapshotId(file - 100));
      }
    });
}

}
