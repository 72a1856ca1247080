// SPDX-License-Identifier: BSD-3-Clause
// Files, datasets and selections beyond what 32 bits count.
//
// Usage: dsmLargeTests HOSTS
#include "DriverFixture.h"

#include "Memory/NodeMemory.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace
{

using namespace drivertests;

constexpr hsize_t KiB = 1024;
constexpr hsize_t MiB = 1024 * KiB;
constexpr hsize_t GiB = 1024 * MiB;

/// A number of /proc/self/status, in bytes.
std::uint64_t StatusBytes(const std::string& name)
{
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
  {
    if (word == name + ":")
    {
      std::uint64_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes * KiB;
    }
  }
  ADD_FAILURE() << "no " << name << " in /proc/self/status";
  return 0;
}

/// While it exists, this process gets only so much more memory of its own.
class MemoryLimit
{
public:
  explicit MemoryLimit(std::uint64_t more)
  {
    EXPECT_EQ(0, getrlimit(RLIMIT_DATA, &this->Before));
    rlimit now = this->Before;
    now.rlim_cur = std::min(now.rlim_max, StatusBytes("VmData") + more);
    EXPECT_EQ(0, setrlimit(RLIMIT_DATA, &now));
  }
  ~MemoryLimit() { setrlimit(RLIMIT_DATA, &this->Before); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

private:
  rlimit Before{};
};

class Large : public Driver
{
protected:
  static hid_t Collective()
  {
    const hid_t made = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_dxpl_mpio(made, H5FD_MPIO_COLLECTIVE);
    return made;
  }

  static hid_t Create(hid_t file, const char* name, hid_t type, hsize_t elements)
  {
    const hid_t space = H5Screate_simple(1, &elements, nullptr);
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(how, H5D_FILL_TIME_NEVER);
    H5Pset_obj_track_times(how, false);
    const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    EXPECT_GE(set, 0) << name;
    H5Pclose(how);
    H5Sclose(space);
    return set;
  }
};

/// Elements at regular distances.
struct Comb
{
  hsize_t Start;
  hsize_t Stride;
  hsize_t Count;

  hid_t MakeSpace(hsize_t elements) const
  {
    const hid_t space = H5Screate_simple(1, &elements, nullptr);
    EXPECT_GE(H5Sselect_hyperslab(
                space, H5S_SELECT_SET, &this->Start, &this->Stride, &this->Count, nullptr),
      0);
    return space;
  }
};

TEST_F(Large, TenMillionPiecesInBoundedMemory)
{
  constexpr hsize_t Pieces = 10'000'000;
  constexpr std::uint64_t More = 32 * MiB; // the pieces' addresses alone would take 80 MB
  this->Options.MemoryPerHost = 512 * MiB;
  this->Options.Map.BlockSize = 64 * KiB;
  const std::string live = this->Name("pieces.h5");
  const auto valueOf = [](hsize_t place) { return place * UINT64_C(0x9e3779b97f4a7c15); };
  this->Couple(
    [&]
    {
      const hsize_t ranks = static_cast<hsize_t>(this->Part.Size);
      const hsize_t elements = Pieces * ranks;
      const hid_t file = H5Fcreate(live.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, this->Live);
      ASSERT_GE(file, 0);
      const hid_t set = Create(file, "comb", H5T_NATIVE_UINT64, elements);
      const Comb mine{ static_cast<hsize_t>(this->Part.Rank), ranks, Pieces };
      const hid_t space = mine.MakeSpace(elements);
      const hid_t memory = H5Screate_simple(1, &Pieces, nullptr);
      const hid_t how = Collective();
      std::vector<std::uint64_t> values(Pieces);
      for (hsize_t i = 0; i < Pieces; ++i)
      {
        values[i] = valueOf(mine.Start + i * mine.Stride);
      }
      {
        const MemoryLimit limit(More);
        EXPECT_GE(H5Dwrite(set, H5T_NATIVE_UINT64, memory, space, how, values.data()), 0);
        EXPECT_GE(H5Dread(set, H5T_NATIVE_UINT64, memory, space, how, values.data()), 0);
      }
      hsize_t wrong = 0;
      for (hsize_t i = 0; i < Pieces; ++i)
      {
        wrong += values[i] != valueOf(mine.Start + i * mine.Stride) ? 1 : 0;
      }
      EXPECT_EQ(0u, wrong);
      H5Pclose(how);
      H5Sclose(memory);
      H5Sclose(space);
      H5Dclose(set);
      EXPECT_GE(H5Fclose(file), 0);
    },
    [&](LocalServer& server) { EXPECT_TRUE(this->Next(server, 0)); });
}

/// A file of 5.5 GiB: a dataset of more than 2^31 elements, one byte each, and behind it one of
/// 2.5 GiB.
constexpr hsize_t Bytes = 3 * GiB;
constexpr hsize_t Words = 320 * MiB;

class FarApart : public Large
{
protected:
  void SetUp() override
  {
    Large::SetUp();
    this->Options.MemoryPerHost = 8 * GiB / static_cast<hsize_t>(this->HostRanks());
    this->Options.Map.BlockSize = MiB;
  }

  int HostRanks() const
  {
    return this->IsHost ? this->Part.Size : this->World.Size - this->Part.Size;
  }

  void Make(const std::string& name, const std::vector<Comb>& written)
  {
    const hid_t file = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, this->Live);
    ASSERT_GE(file, 0);
    const hid_t bytes = Create(file, "bytes", H5T_NATIVE_UINT8, Bytes);
    const hid_t words = Create(file, "words", H5T_NATIVE_UINT64, Words);
    for (const Comb& comb : written)
    {
      this->Move(bytes, Bytes, comb, true, true);
      this->Move(words, Words, comb, true, true);
    }
    H5Dclose(words);
    H5Dclose(bytes);
    EXPECT_GE(H5Fclose(file), 0);
  }

  void Check(const std::string& name, hid_t access, const std::vector<Comb>& there,
    const std::vector<Comb>& empty)
  {
    const hid_t file = H5Fopen(name.c_str(), H5F_ACC_RDONLY, access);
    ASSERT_GE(file, 0);
    hsize_t size = 0;
    EXPECT_GE(H5Fget_filesize(file, &size), 0);
    EXPECT_GT(size, Bytes + Words * 8);
    const hid_t bytes = H5Dopen2(file, "bytes", H5P_DEFAULT);
    const hid_t words = H5Dopen2(file, "words", H5P_DEFAULT);
    for (const auto& [combs, written] : { std::pair(&there, true), std::pair(&empty, false) })
    {
      for (const Comb& comb : *combs)
      {
        this->Move(bytes, Bytes, comb, false, written);
        this->Move(words, Words, comb, false, written);
      }
    }
    H5Dclose(words);
    H5Dclose(bytes);
    EXPECT_GE(H5Fclose(file), 0);
  }

private:
  // A rank's teeth of a comb, written or compared: their values follow from their places.
  void Move(hid_t set, hsize_t elements, Comb comb, bool write, bool written) const
  {
    const auto ranks = static_cast<hsize_t>(this->Part.Size);
    // As far apart in both datasets, for their sizes.
    comb.Stride = comb.Stride > 1000 ? (elements - comb.Start - 1) / comb.Count : comb.Stride;
    comb.Start += comb.Stride * static_cast<hsize_t>(this->Part.Rank);
    comb.Stride *= ranks;
    comb.Count = comb.Count / ranks;
    const hid_t space = comb.MakeSpace(elements);
    const hid_t memory = H5Screate_simple(1, &comb.Count, nullptr);
    const hid_t how = Collective();
    std::vector<std::uint64_t> values(comb.Count, 77);
    const auto valueOf = [&](hsize_t i)
    { return written ? (comb.Start + i * comb.Stride) % 251 + 1 : 0; };
    if (write)
    {
      for (hsize_t i = 0; i < comb.Count; ++i)
      {
        values[i] = valueOf(i);
      }
      EXPECT_GE(H5Dwrite(set, H5T_NATIVE_UINT64, memory, space, how, values.data()), 0);
    }
    else
    {
      EXPECT_GE(H5Dread(set, H5T_NATIVE_UINT64, memory, space, how, values.data()), 0);
      hsize_t wrong = 0;
      for (hsize_t i = 0; i < comb.Count; ++i)
      {
        wrong += values[i] != valueOf(i) ? 1 : 0;
      }
      EXPECT_EQ(0u, wrong) << "of " << comb.Count << " elements from " << comb.Start << " on";
    }
    H5Pclose(how);
    H5Sclose(memory);
    H5Sclose(space);
  }
};

// The hosts reserve all of a file, so this takes as much memory.
TEST_F(FarApart, ReadAsWritten)
{
  std::uint64_t memory = AvailableMemory();
  MPI_Bcast(&memory, 1, MPI_UINT64_T, 0, testranks::Comm());
  if (memory < 8 * GiB)
  {
    GTEST_SKIP() << "a file of 5.5 GiB needs more memory than there is";
  }
  const std::string live = this->Name("far.h5");
  // From the beginning to the end of each, and between what was written.
  const Comb wide{ 20'000, Words / 24 - 1000, 24 };
  const Comb beginning{ 10, 60, 24 };
  const Comb between{ 21'000, wide.Stride, 24 };
  this->Couple(
    [&]
    {
      this->Make(live, { beginning, wide });
      this->Check(live, this->Live, { beginning, wide }, { between });
      this->World.Barrier();
    },
    [&](LocalServer&)
    {
      this->World.Barrier();
      this->Check(live, this->Live, { beginning, wide }, { between });
    });
}

}
