// SPDX-License-Identifier: BSD-3-Clause
// Every transport with every strategy, with files of about 100 MB: mostly written 1 MiB at a time,
// and the rest in pieces of sizes that transports over MPI treat in other ways (MpiRma's LargePut,
// wire::SmallPut).
//
// Usage: dsmBulkTests HOSTS. DSM_TEST_BULK=MEBIBYTES makes the files smaller.
#include "TransportFixture.h"

#include "Base/Environment.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace
{

using namespace drivertests;

constexpr hsize_t KiB = 1024;

// A dataset of bytes, written in pieces of one size by the ranks in turn.
struct Pieces
{
  const char* Name;
  hsize_t Size;
  hsize_t Share; ///< of the file, in percent
  bool OneByOne; ///< else all pieces of a rank in one transfer
};

constexpr std::array<Pieces, 3> Datasets{ { { "large", 1024 * KiB, 85, true },
  { "medium", 20 * KiB, 10, false }, { "small", 6 * KiB, 5, false } } };

// The bytes from a place of a dataset on, other than its neighbours and those a block or a piece
// away.
void Fill(std::vector<char>& bytes, hsize_t begin, int which)
{
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint32_t))
  {
    const auto value = static_cast<std::uint32_t>(
      ((begin + i) * UINT64_C(0x9e3779b97f4a7c15) + static_cast<std::uint64_t>(which)) >> 29);
    std::memcpy(bytes.data() + i, &value, std::min(sizeof value, bytes.size() - i));
  }
}

class Bulk : public AnyTransport
{
protected:
  void SetUp() override
  {
    AnyTransport::SetUp();
    this->Size = environment::CountOr("DSM_TEST_BULK", 96) * KiB * KiB;
    // Contiguous fills one host after the other: none of several holds the whole file. There is
    // room for one file and a bit, so that each one evicts the last.
    const int hosts = this->IsHost ? this->Part.Size : this->World.Size - this->Part.Size;
    this->Options.MemoryPerHost = this->Size / static_cast<hsize_t>(hosts) * 5 / 4 + 1024 * KiB;
    this->Options.Map.BlockSize = 1024 * KiB;
    this->Options.ExpectedFileSize = this->Size;
    this->Options.FullRingLimit = Seconds(20);
  }

  // Each host has a part of it.
  void Look(const SnapshotView& view) override
  {
    const auto& written = view.Description().Statistics.HostBytes;
    EXPECT_EQ(static_cast<std::size_t>(this->Part.Size), written.size());
    for (const std::uint64_t bytes : written)
    {
      EXPECT_GT(bytes, 0u) << view.Description().Map.Strategy;
    }
  }

  // Calls `transfer` with the bytes of each of this rank's transfers. `turn` shifts who has what.
  template <typename Transfer>
  void ForMyPieces(hid_t file, bool make, int turn, const Transfer& transfer)
  {
    for (std::size_t which = 0; which < Datasets.size(); ++which)
    {
      const Pieces& dataset = Datasets[which];
      const hsize_t pieces = std::max<hsize_t>(this->Size * dataset.Share / 100 / dataset.Size, 1);
      const hsize_t size = pieces * dataset.Size;
      const hid_t space = H5Screate_simple(1, &size, nullptr);
      const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
      H5Pset_obj_track_times(how, false); // the bytes do not depend on the clock
      const hid_t set = make
        ? H5Dcreate2(file, dataset.Name, H5T_NATIVE_CHAR, space, H5P_DEFAULT, how, H5P_DEFAULT)
        : H5Dopen2(file, dataset.Name, H5P_DEFAULT);
      H5Pclose(how);
      ASSERT_GE(set, 0);
      const auto ranks = static_cast<hsize_t>(this->Part.Size);
      const hsize_t first = static_cast<hsize_t>(this->Part.Rank + turn) % ranks;
      const hsize_t mine = first < pieces ? (pieces - first + ranks - 1) / ranks : 0;
      const hsize_t together = dataset.OneByOne ? 1 : std::max<hsize_t>(mine, 1);
      for (hsize_t done = 0; done < mine; done += together)
      {
        const hsize_t begin = (first + done * ranks) * dataset.Size;
        const hsize_t stride = ranks * dataset.Size;
        const hsize_t bytes = together * dataset.Size;
        ASSERT_GE(
          H5Sselect_hyperslab(space, H5S_SELECT_SET, &begin, &stride, &together, &dataset.Size), 0);
        std::vector<char> expected(bytes);
        std::vector<char> piece(dataset.Size);
        for (hsize_t i = 0; i < together; ++i)
        {
          Fill(piece, begin + i * stride, static_cast<int>(which));
          std::copy(piece.begin(), piece.end(),
            expected.begin() + static_cast<std::ptrdiff_t>(i * dataset.Size));
        }
        const hid_t memory = H5Screate_simple(1, &bytes, nullptr);
        transfer(set, memory, space, expected);
        H5Sclose(memory);
      }
      H5Dclose(set);
      H5Sclose(space);
    }
  }

  void Write(const std::string& name, hid_t access)
  {
    const hid_t file = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    ASSERT_GE(file, 0) << name;
    this->ForMyPieces(file, true, 0,
      [](hid_t set, hid_t memory, hid_t space, const std::vector<char>& bytes)
      { ASSERT_GE(H5Dwrite(set, H5T_NATIVE_CHAR, memory, space, H5P_DEFAULT, bytes.data()), 0); });
    ASSERT_GE(H5Fclose(file), 0) << name;
  }

  // Each rank reads what its neighbour wrote.
  void Check(const std::string& name, hid_t access)
  {
    const hid_t file = H5Fopen(name.c_str(), H5F_ACC_RDONLY, access);
    ASSERT_GE(file, 0) << name;
    this->ForMyPieces(file, false, 1,
      [&](hid_t set, hid_t memory, hid_t space, const std::vector<char>& expected)
      {
        std::vector<char> bytes(expected.size());
        ASSERT_GE(H5Dread(set, H5T_NATIVE_CHAR, memory, space, H5P_DEFAULT, bytes.data()), 0);
        ASSERT_TRUE(bytes == expected) << name;
      });
    ASSERT_GE(H5Fclose(file), 0) << name;
  }

  hsize_t Size = 0;
};

TEST_P(Bulk, ArrivesWhole)
{
  const auto& onDisk =
    this->OnDisk([&](const std::string& name) { this->Write(name, this->Stock); });
  this->CompareAll(onDisk,
    [&](const std::string& name)
    {
      this->Write(name, this->Live);
      this->Check(name, this->Live);
    });
}

INSTANTIATE_TEST_SUITE_P(All, Bulk, testing::ValuesIn(AllTransports("mpi-rma,mpi-messages:64KiB")),
  [](const auto& info) { return TestName(info.param); });

}
