// SPDX-License-Identifier: BSD-3-Clause
// Buffers in the memory of a device, for which libraries of our own stand in (stand_in_device.c):
// whoever reads or writes that memory without them dies of it.
#include "Base/Error.h"
#include "Base/NodeIdentity.h"
#include "Driver/DeviceStage.h"
#include "Memory/DeviceBuffers.h"
#include "Memory/DeviceRegistrations.h"
#include "Memory/Segment.h"
#include "Memory/SegmentLayout.h"
#include "Transport/Router.h"
#include "Transport/SharedMemory/SharedMemory.h"

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

namespace
{

using namespace dsm;

enum Kind
{
  OfDevice,
  OfPool,
  Managed,
  Pinned
};

/// A stand-in, as a program has loaded it.
class StandIn
{
public:
  explicit StandIn(const char* path)
    : Library(dlopen(path, RTLD_NOW | RTLD_LOCAL))
  {
    this->Get("StandInAllocate", this->Allocate);
    this->Get("StandInUpload", this->Upload);
    this->Get("StandInLook", this->Look);
    this->Get("StandInLaunchAdd", this->LaunchAdd);
  }

  /// A count or a function of the library.
  template <typename Symbol>
  void Get(const char* name, Symbol*& symbol) const
  {
    symbol = reinterpret_cast<Symbol*>(dlsym(this->Library, name));
    ASSERT_TRUE(symbol) << name;
  }

  int Count(const char* name) const
  {
    int* count = nullptr;
    this->Get(name, count);
    return *count;
  }

  std::byte* Make(std::uint64_t size, Kind kind) const
  {
    return static_cast<std::byte*>(this->Allocate(size, kind));
  }

  std::vector<double> Values(const void* device, std::size_t count) const
  {
    std::vector<double> values(count);
    this->Look(values.data(), device, count * sizeof(double));
    return values;
  }

  void* Library;
  void* (*Allocate)(std::size_t, int) = nullptr;
  void (*Upload)(void*, const void*, std::size_t) = nullptr;
  void (*Look)(void*, const void*, std::size_t) = nullptr;
  int (*LaunchAdd)(void*, std::size_t, double) = nullptr;
};

std::vector<double> Numbers(std::size_t count)
{
  std::vector<double> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 1.5);
  return numbers;
}

bool AreSame(const std::byte* bytes, const void* others, std::uint64_t size)
{
  return std::equal(bytes, bytes + size, static_cast<const std::byte*>(others));
}

// Before any library is loaded, so it comes first.
TEST(DeviceBuffersWithoutLibrary, AreNone)
{
  const std::vector<double> numbers = Numbers(10);
  std::vector<double> there(10);
  DeviceDriver::Look();
  EXPECT_FALSE(DeviceDriver::IsLoaded());
  DeviceBuffers buffers(numbers.data());
  EXPECT_FALSE(DeviceBuffers::Any());
  EXPECT_FALSE(buffers.Recognise(numbers.data()));
  EXPECT_FALSE(DeviceBuffers::Copy(there.data(), numbers.data(), 80));
  DeviceBuffers::CopyBytes(there.data(), numbers.data(), 80);
  EXPECT_EQ(there, numbers);
}

class DeviceBuffersTest : public testing::TestWithParam<const char*>
{
protected:
  DeviceBuffersTest() { DeviceDriver::Look(); }

  /// Numbers in the memory of the device.
  std::byte* Uploaded(const std::vector<double>& numbers, Kind kind = OfDevice) const
  {
    std::byte* const made = this->Device.Make(numbers.size() * sizeof(double), kind);
    this->Device.Upload(made, numbers.data(), numbers.size() * sizeof(double));
    return made;
  }

  StandIn Device{ GetParam() };
};

TEST_P(DeviceBuffersTest, FindWhatBelongsToTheCall)
{
  std::byte* const device = this->Device.Make(1000, OfDevice);
  std::byte* const other = this->Device.Make(1000, OfDevice);
  {
    const DeviceBuffers buffers(device + 10);
    EXPECT_TRUE(DeviceBuffers::Any());
    EXPECT_TRUE(DeviceBuffers::Find(device));
    EXPECT_TRUE(DeviceBuffers::Find(device + 999));
    EXPECT_FALSE(DeviceBuffers::Find(device + 1000));
    EXPECT_FALSE(DeviceBuffers::Find(other));
    EXPECT_EQ(DeviceBuffers::Find(device)->Allocation.Device, 3);
    {
      DeviceBuffers inner;
      EXPECT_TRUE(inner.Recognise(other));
      EXPECT_TRUE(DeviceBuffers::Find(other));
      EXPECT_TRUE(DeviceBuffers::Find(device));
    }
    EXPECT_FALSE(DeviceBuffers::Find(other));
  }
  EXPECT_FALSE(DeviceBuffers::Any());
}

TEST_P(DeviceBuffersTest, LeaveMemoryOfTheHostAlone)
{
  const std::vector<double> numbers = Numbers(10);
  for (const void* memory : { static_cast<const void*>(numbers.data()),
         static_cast<const void*>(this->Device.Make(80, Managed)),
         static_cast<const void*>(this->Device.Make(80, Pinned)) })
  {
    const DeviceBuffers buffers(memory);
    EXPECT_FALSE(DeviceBuffers::Any());
  }
}

TEST_P(DeviceBuffersTest, CopyBothWays)
{
  const std::vector<double> numbers = Numbers(1000);
  for (const Kind kind : { OfDevice, OfPool })
  {
    std::byte* const device = this->Uploaded(numbers, kind);
    const DeviceBuffers buffers(device);
    std::vector<double> host(1000);
    EXPECT_TRUE(DeviceBuffers::Copy(host.data(), device, 8000));
    EXPECT_EQ(host, numbers);
    host.assign(1000, 7);
    EXPECT_TRUE(DeviceBuffers::Copy(device + 80, host.data(), 160));
    // No other stream needs to wait for that.
    const std::vector<double> there = this->Device.Values(device, 1000);
    EXPECT_EQ(there[9], numbers[9]);
    EXPECT_EQ(there[10], 7);
    EXPECT_EQ(there[29], 7);
    EXPECT_EQ(there[30], numbers[30]);
  }
}

TEST_P(DeviceBuffersTest, CopyWhatTheDefaultStreamLeaves)
{
  std::byte* const device = this->Uploaded({ 1, 2, 3 });
  const DeviceBuffers buffers(device);
  this->Device.LaunchAdd(device, 24, 10);
  std::vector<double> host(3);
  DeviceBuffers::CopyBytes(host.data(), device, 24);
  EXPECT_EQ(host, (std::vector<double>{ 11, 12, 13 }));
}

TEST_P(DeviceBuffersTest, SayWhyACopyFails)
{
  std::byte* const device = this->Device.Make(80, OfDevice);
  const DeviceBuffers buffers(device);
  std::vector<double> host(20);
  try
  {
    DeviceBuffers::CopyBytes(host.data(), device, 160);
    FAIL() << "a copy beyond the allocation's end";
  }
  catch (const Error& error)
  {
    const std::string text = error.what();
    EXPECT_NE(text.find("cannot copy from memory of "), std::string::npos) << text;
    EXPECT_NE(text.find(" device 3: "), std::string::npos) << text;
    EXPECT_NE(text.find("failed: invalid argument (1)"), std::string::npos) << text;
  }
}

TEST_P(DeviceBuffersTest, LeaveTheProgramsLastErrorAlone)
{
  int (*last)() = nullptr;
  if (std::string(GetParam()).find("hip") == std::string::npos)
  {
    GTEST_SKIP() << "CUDA's driver remembers none";
  }
  this->Device.Get("hipGetLastError", last);
  int value = 0;
  const DeviceBuffers buffers(&value);
  EXPECT_EQ(last(), 0);
}

TEST_P(DeviceBuffersTest, ArePutIntoAndGotFromASegment)
{
  constexpr std::uint64_t SlotSize = UINT64_C(16) << 20;
  const std::vector<double> numbers = Numbers(400'000);
  const std::uint64_t size = numbers.size() * sizeof(double);
  for (const bool pinned : { false, true })
  {
    const SegmentLayout layout(SlotSize, 1);
    const auto segment =
      pinned ? Segment::CreatePinned(layout.Size()) : Segment::Create(layout.Size());
    segment.Reserve(0, SlotSize);
    ServerDescription server;
    server.SlotSize = SlotSize;
    server.SlotCount = 1;
    server.Pinned = pinned;
    const std::string& name = segment.Name();
    server.Hosts.push_back({ NodeIdentity(), "here", NetworkIdentity(),
      { { "shared-memory", { name.begin(), name.end() } } } });
    const int fast = this->Device.Count("StandInFastCopies");
    {
      SharedMemory memory(server, { 0 });
      std::byte* const device = this->Uploaded(numbers);
      const DeviceBuffers buffers(device);
      memory.Put(0, 4096 + 24, device, size);
      EXPECT_TRUE(AreSame(segment.Data() + 4096 + 24, numbers.data(), size));
      std::byte* const back = this->Device.Make(size, OfDevice);
      const DeviceBuffers more(back);
      memory.Get(0, 4096 + 24, back, size);
      EXPECT_EQ(this->Device.Values(back, numbers.size()), numbers);
      // Small pieces, one of which is the host's.
      const double host = -1;
      const std::vector<PutPiece> puts{ { 0, device + 8, 16 },
        { 16, reinterpret_cast<const std::byte*>(&host), 8 }, { 24, device, 8 } };
      memory.PutPieces(0, puts);
      const std::vector<GetPiece> gets{ { 0, back, 24 }, { 24, back + 800, 8 } };
      memory.GetPieces(0, gets);
      const auto there = this->Device.Values(back, 101);
      EXPECT_EQ(there[0], numbers[1]);
      EXPECT_EQ(there[2], -1);
      EXPECT_EQ(there[100], numbers[0]);
      EXPECT_EQ(this->Device.Count("StandInRegistered") > 0, pinned);
    }
    // Pages of memory that is not pinned come and go, so that no device may know them.
    EXPECT_EQ(this->Device.Count("StandInFastCopies") > fast, pinned);
    EXPECT_EQ(this->Device.Count("StandInRegistered"), 0);
  }
}

TEST_P(DeviceBuffersTest, AreCopiedAllTheSameIfRegisteringIsRefused)
{
  setenv("STAND_IN_REFUSES", "1", 1);
  std::vector<std::byte> memory(100);
  std::byte* const device = this->Device.Make(100, OfDevice);
  const DeviceBuffers buffers(device);
  DeviceRegistrations registrations;
  registrations.Use(memory, 10, 20, *DeviceBuffers::Find(device));
  unsetenv("STAND_IN_REFUSES");
  registrations.Use(memory, 10, 20, *DeviceBuffers::Find(device));
  EXPECT_EQ(this->Device.Count("StandInRegistered"), 0);
}

TEST_P(DeviceBuffersTest, LeaveTheDeviceByTheStageInBoundedSteps)
{
  const std::vector<double> numbers = Numbers(1'200'000);
  const std::uint64_t size = numbers.size() * sizeof(double);
  ASSERT_GT(size, 2 * devicestage::Size);
  std::byte* const device = this->Uploaded(numbers);
  const DeviceBuffers buffers(device);
  const double host = -1;
  const std::vector<PutPiece> pieces{ { 100, device, 16 },
    { 200, reinterpret_cast<const std::byte*>(&host), 8 }, { 1000, device, size } };
  std::vector<std::byte> file(1000 + size);
  devicestage::Move(pieces,
    [&](std::span<const PutPiece> some)
    {
      std::uint64_t bytes = 0;
      for (const PutPiece& piece : some)
      {
        std::memcpy(file.data() + piece.Place, piece.Memory, piece.Size);
        bytes += piece.Size;
      }
      EXPECT_LE(bytes, devicestage::Size + sizeof host);
    });
  EXPECT_TRUE(AreSame(file.data() + 100, numbers.data(), 16));
  EXPECT_TRUE(AreSame(file.data() + 200, &host, 8));
  EXPECT_TRUE(AreSame(file.data() + 1000, numbers.data(), size));

  std::byte* const back = this->Device.Make(size, OfDevice);
  const DeviceBuffers more(back);
  double there = 0;
  const std::vector<GetPiece> gets{ { 200, reinterpret_cast<std::byte*>(&there), 8 },
    { 1000, back, size } };
  devicestage::Move(gets,
    [&](std::span<const GetPiece> some)
    {
      for (const GetPiece& piece : some)
      {
        std::memcpy(piece.Memory, file.data() + piece.Place, piece.Size);
      }
    });
  EXPECT_EQ(there, -1);
  EXPECT_EQ(this->Device.Values(back, numbers.size()), numbers);
}

TEST_P(DeviceBuffersTest, LeaveTheDeviceInOneCopyIfTheyAreSmallNeighbours)
{
  const std::vector<double> numbers = Numbers(10'000);
  std::byte* const device = this->Uploaded(numbers);
  const DeviceBuffers buffers(device);
  std::vector<PutPiece> pieces;
  pieces.reserve(1001);
  for (std::uint64_t i = 0; i < 1000; ++i)
  {
    pieces.push_back({ i * 8, device + (999 - i) * 80, 8 }); // backwards
  }
  pieces.push_back({ 8000, device + 79992, 8 }); // an end of its own would be the same copy
  std::vector<double> file(1001);
  const int before = this->Device.Count("StandInCopies");
  devicestage::Move(pieces,
    [&](std::span<const PutPiece> some)
    {
      for (const PutPiece& piece : some)
      {
        std::memcpy(&file[piece.Place / 8], piece.Memory, piece.Size);
      }
    });
  EXPECT_EQ(this->Device.Count("StandInCopies"), before + 1);
  for (std::size_t i = 0; i < 1000; ++i)
  {
    ASSERT_EQ(file[i], numbers[(999 - i) * 10]) << i;
  }
  EXPECT_EQ(file[1000], numbers[9999]);
}

INSTANTIATE_TEST_SUITE_P(
  Vendors, DeviceBuffersTest, testing::Values(DSM_STAND_IN_CUDA, DSM_STAND_IN_HIP));

}
