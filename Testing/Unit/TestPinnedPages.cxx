// SPDX-License-Identifier: BSD-3-Clause
// What a network does that pins the memory it is given: it remembers the pages, not their
// addresses. The kernel has a device of that kind without a network: io_uring's registered buffers,
// which are pinned in the same way.
#include "Base/Error.h"
#include "Memory/Segment.h"

#include <gtest/gtest.h>

#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace
{

using dsm::Segment;

constexpr std::uint64_t Page = 4096;

/// Moves bytes into and out of memory by the pages that it had when it was registered.
class Device
{
public:
  /// None where the system forbids it.
  static std::optional<Device> On(void* memory, std::size_t size)
  {
    Device made;
    io_uring_params parameters = {};
    made.Ring = static_cast<int>(syscall(SYS_io_uring_setup, 1, &parameters));
    if (made.Ring < 0 || (parameters.features & IORING_FEAT_SINGLE_MMAP) == 0)
    {
      return std::nullopt;
    }
    const iovec all{ memory, size };
    if (syscall(SYS_io_uring_register, made.Ring, IORING_REGISTER_BUFFERS, &all, 1) != 0)
    {
      return std::nullopt;
    }
    const std::size_t submissions =
      parameters.sq_off.array + parameters.sq_entries * sizeof(std::uint32_t);
    const std::size_t completions =
      parameters.cq_off.cqes + parameters.cq_entries * sizeof(io_uring_cqe);
    made.Queues = Map(made.Ring, std::max(submissions, completions), IORING_OFF_SQ_RING);
    made.Entries = Map(made.Ring, parameters.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES);
    made.Offsets = parameters;
    made.Memory = static_cast<std::byte*>(memory);
    return made;
  }

  Device(Device&& other) noexcept
    : Ring(std::exchange(other.Ring, -1))
    , Queues(other.Queues)
    , Entries(other.Entries)
    , Offsets(other.Offsets)
    , Memory(other.Memory)
  {
  }
  Device& operator=(Device&&) = delete;
  ~Device()
  {
    if (this->Ring >= 0)
    {
      close(this->Ring); // which lets the pages go
    }
  }

  void Write(std::uint64_t offset, const std::string& text)
  {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    ASSERT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    this->Do(IORING_OP_READ_FIXED, ends[0], offset, text.size());
    close(ends[0]);
    close(ends[1]);
  }

  std::string Read(std::uint64_t offset, std::size_t size)
  {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    this->Do(IORING_OP_WRITE_FIXED, ends[1], offset, size);
    std::string text(size, '?');
    EXPECT_EQ(read(ends[0], text.data(), size), static_cast<ssize_t>(size));
    close(ends[0]);
    close(ends[1]);
    return text;
  }

private:
  Device() = default;

  static std::byte* Map(int ring, std::size_t size, std::uint64_t what)
  {
    void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring,
      static_cast<off_t>(what));
    return mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped);
  }

  std::atomic_ref<std::uint32_t> Number(std::uint32_t offset)
  {
    return std::atomic_ref<std::uint32_t>(*reinterpret_cast<std::uint32_t*>(this->Queues + offset));
  }

  // One transfer, to its end.
  void Do(std::uint8_t what, int file, std::uint64_t offset, std::size_t size)
  {
    ASSERT_TRUE(this->Queues && this->Entries);
    auto& entry = *reinterpret_cast<io_uring_sqe*>(this->Entries);
    std::memset(&entry, 0, sizeof entry);
    entry.opcode = what;
    entry.fd = file;
    entry.addr = reinterpret_cast<std::uintptr_t>(this->Memory + offset);
    entry.len = static_cast<std::uint32_t>(size);
    this->Number(this->Offsets.sq_off.array).store(0);
    this->Number(this->Offsets.sq_off.tail).fetch_add(1);
    ASSERT_EQ(syscall(SYS_io_uring_enter, this->Ring, 1, 1, IORING_ENTER_GETEVENTS, nullptr, 0), 1);
    const std::uint32_t head = this->Number(this->Offsets.cq_off.head).load();
    const std::uint32_t mask = this->Number(this->Offsets.cq_off.ring_mask).load();
    const auto* done = reinterpret_cast<io_uring_cqe*>(this->Queues + this->Offsets.cq_off.cqes);
    EXPECT_EQ(done[head & mask].res, static_cast<int>(size)) << "what the device has moved";
    this->Number(this->Offsets.cq_off.head).store(head + 1);
  }

  int Ring = -1;
  std::byte* Queues = nullptr;
  std::byte* Entries = nullptr;
  io_uring_params Offsets = {};
  std::byte* Memory = nullptr;
};

std::string TextAt(const Segment& segment, std::uint64_t offset, std::size_t size)
{
  return { reinterpret_cast<const char*>(segment.Data() + offset), size };
}

// What the whole matter is about: pages that were given back and come again are others.
TEST(PinnedPages, OfASparseSegmentAreOthersOnceTheyWereGivenBack)
{
  const auto segment = Segment::Create(8 * Page);
  segment.Populate(0, 8 * Page);
  auto device = Device::On(segment.Data(), segment.Size());
  if (!device)
  {
    GTEST_SKIP() << "io_uring is not allowed here: " << std::strerror(errno);
  }
  device->Write(2 * Page, "first");
  EXPECT_EQ(TextAt(segment, 2 * Page, 5), "first");
  segment.Release(0, 8 * Page);
  segment.Populate(0, 8 * Page);
  device->Write(2 * Page, "second");
  EXPECT_EQ(TextAt(segment, 2 * Page, 6), std::string(6, '\0'))
    << "the device wrote to pages that nobody else has";
  EXPECT_EQ(device->Read(2 * Page, 6), "second");
}

TEST(PinnedPages, OfAPinnedSegmentStayTheSame)
{
  const auto segment = Segment::CreatePinned(8 * Page);
  auto device = Device::On(segment.Data(), segment.Size());
  if (!device)
  {
    GTEST_SKIP() << "io_uring is not allowed here: " << std::strerror(errno);
  }
  for (const std::string text : { "first", "next!" })
  {
    device->Write(2 * Page, text);
    EXPECT_EQ(TextAt(segment, 2 * Page, 5), text);
    EXPECT_THROW(segment.Release(0, 8 * Page), dsm::Error);
    EXPECT_EQ(TextAt(segment, 2 * Page, 5), text);
    // All that happens to a slot between two files.
    segment.Zero(0, 8 * Page);
    segment.Reserve(0, 8 * Page);
    segment.Copy(4 * Page, 0, Page);
    segment.MapExisting(0, 8 * Page);
    EXPECT_EQ(device->Read(2 * Page, 5), std::string(5, '\0'));
  }
  const auto elsewhere = Segment::Open(segment.Name(), segment.Size());
  std::memcpy(elsewhere.Data() + Page, "other", 5);
  EXPECT_EQ(device->Read(Page, 5), "other") << "another process's mapping has the same pages";
}

TEST(PinnedPages, AreThereFromTheBeginning)
{
  const auto segment = Segment::CreatePinned(8 * Page);
  std::array<unsigned char, 8> there{};
  ASSERT_EQ(mincore(segment.Data(), segment.Size(), there.data()), 0);
  for (const unsigned char page : there)
  {
    EXPECT_EQ(page & 1, 1);
  }
}

}
