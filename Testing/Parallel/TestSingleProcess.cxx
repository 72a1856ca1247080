// SPDX-License-Identifier: BSD-3-Clause
// Single-process I/O over each transport: what one rank reads or writes for all is what all asked
// for, and where they ask for different bytes, all are told.
//
// Usage: dsmSemanticsTests HOSTS
#include "TransportFixture.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace
{

using namespace drivertests;

class Transfers
{
public:
  explicit Transfers(H5FD_dsm_single_process_t how)
    : Id(H5Pcreate(H5P_DATASET_XFER))
  {
    EXPECT_GE(H5Pset_dxpl_dsm_single_process(this->Id, how), 0);
    if (how == H5FD_DSM_SINGLE_PROCESS_OFF)
    {
      EXPECT_GE(H5Pset_dxpl_mpio(this->Id, H5FD_MPIO_COLLECTIVE), 0);
    }
  }
  ~Transfers() { H5Pclose(this->Id); }
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;
  const hid_t Id;
};

/// A dataset of whole numbers in one dimension.
struct Numbers
{
  Numbers(hid_t file, const std::string& name, hsize_t count, hsize_t chunk = 0)
    : Space(H5Screate_simple(1, &count, nullptr))
  {
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    if (chunk > 0)
    {
      H5Pset_chunk(creation, 1, &chunk);
    }
    this->Set = H5Dcreate2(
      file, name.c_str(), H5T_NATIVE_INT, this->Space, H5P_DEFAULT, creation, H5P_DEFAULT);
    EXPECT_GE(this->Set, 0);
    H5Pclose(creation);
  }
  /// One that is there.
  Numbers(hid_t file, const std::string& name)
    : Set(H5Dopen2(file, name.c_str(), H5P_DEFAULT))
  {
    EXPECT_GE(this->Set, 0);
    this->Space = H5Dget_space(this->Set);
  }
  ~Numbers()
  {
    H5Dclose(this->Set);
    H5Sclose(this->Space);
  }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;

  void Select(hsize_t start, hsize_t stride, hsize_t count) const
  {
    H5Sselect_hyperslab(this->Space, H5S_SELECT_SET, &start, &stride, &count, nullptr);
  }

  herr_t Write(const Transfers& how, const std::vector<int>& values) const
  {
    const hsize_t count = values.size();
    const hid_t memory = H5Screate_simple(1, &count, nullptr);
    const herr_t done =
      H5Dwrite(this->Set, H5T_NATIVE_INT, memory, this->Space, how.Id, values.data());
    this->Failure = done < 0 ? Reasons() : "";
    H5Sclose(memory);
    return done;
  }

  /// What is there of the selection, into every second place of the memory if that is wanted; none
  /// where it failed.
  std::vector<int> Read(const Transfers& how, hsize_t count, hsize_t apart = 1) const
  {
    const hsize_t room = count * apart;
    const hid_t memory = H5Screate_simple(1, &room, nullptr);
    const hsize_t start = 0;
    H5Sselect_hyperslab(memory, H5S_SELECT_SET, &start, &apart, &count, nullptr);
    std::vector<int> places(room, -1);
    const herr_t done =
      H5Dread(this->Set, H5T_NATIVE_INT, memory, this->Space, how.Id, places.data());
    this->Failure = done < 0 ? Reasons() : "";
    H5Sclose(memory);
    std::vector<int> values;
    for (hsize_t i = 0; done >= 0 && i < count; ++i)
    {
      values.push_back(places[i * apart]);
    }
    return values;
  }

  hid_t Space = H5I_INVALID_HID;
  hid_t Set = H5I_INVALID_HID;
  mutable std::string Failure; ///< why the last transfer failed
};

std::vector<int> Counted(std::size_t count, int from)
{
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), from);
  return values;
}

class SingleProcess : public AnyTransport
{
protected:
  hid_t Create(const std::string& name) const
  {
    const hid_t file = H5Fcreate(this->Name(name).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, this->Live);
    EXPECT_GE(file, 0);
    return file;
  }
};

TEST_P(SingleProcess, OneWritesAndReadsForAll)
{
  constexpr hsize_t Long = 700000; // more than a step of the broadcast
  this->Couple(
    [&]
    {
      for (const auto how : { H5FD_DSM_SINGLE_PROCESS, H5FD_DSM_SINGLE_PROCESS_UNCHECKED })
      {
        const Transfers one(how);
        const hid_t file = this->Create("one" + std::to_string(how) + ".h5");
        const std::vector<std::pair<hsize_t, hsize_t>> cases{ { 1, 0 }, { 18, 0 }, { 500, 0 },
          { Long, 0 }, { 500, 7 }, { 40000, 30000 } };
        for (std::size_t i = 0; i < cases.size(); ++i)
        {
          const auto [count, chunk] = cases[i];
          SCOPED_TRACE(std::to_string(count) + " in chunks of " + std::to_string(chunk));
          const Numbers numbers(file, "set" + std::to_string(i), count, chunk);
          // Only rank 0's count.
          EXPECT_GE(numbers.Write(one, Counted(count, 1 + 1000 * this->Part.Rank)), 0);
          EXPECT_EQ(Counted(count, 1), numbers.Read(one, count));
          // Each rank has another memory for the same bytes of the file.
          const hsize_t apart = count < 1000 ? this->Part.Rank % 2 + 1 : 1;
          EXPECT_EQ(Counted(count, 1), numbers.Read(one, count, apart));
          EXPECT_EQ(Counted(count, 1), numbers.Read(Transfers(H5FD_DSM_SINGLE_PROCESS_OFF), count));
          if (count >= 18)
          {
            numbers.Select(1, 3, 5);
            EXPECT_GE(numbers.Write(one, Counted(5, -this->Part.Rank)), 0);
            EXPECT_EQ(Counted(5, 0), numbers.Read(one, 5));
            numbers.Select(0, 1, 5);
            EXPECT_EQ((std::vector<int>{ 1, 0, 3, 4, 1 }), numbers.Read(one, 5));
          }
        }
        EXPECT_GE(H5Fclose(file), 0);
      }
    },
    [&](LocalServer& server)
    {
      for (std::uint64_t number = 1; number <= 2; ++number)
      {
        const auto snapshot = this->Next(server, number - 1);
        ASSERT_TRUE(snapshot);
        // Each byte was written by one rank, and metadata beside.
        constexpr std::uint64_t Data = 4 * (1 + 18 + 500 + Long + 500 + 40000);
        EXPECT_GE(snapshot->Statistics.Bytes, Data);
        EXPECT_LT(snapshot->Statistics.Bytes, Data + Data / 4);
      }
      this->SaveAll(server);
    });
}

// Of a snapshot what lies beside them is read as well, and is as good.
TEST_P(SingleProcess, ManySmallPiecesOfASnapshot)
{
  constexpr int Sets = 60;
  constexpr hsize_t Count = 400; // more than a window of them together
  const auto name = [](int i) { return "set" + std::to_string(i); };
  this->Couple(
    [&]
    {
      const hid_t made = this->Create("small.h5");
      for (int i = 0; i < Sets; ++i)
      {
        EXPECT_GE(Numbers(made, name(i), Count)
                    .Write(Transfers(H5FD_DSM_SINGLE_PROCESS), Counted(Count, 1000 * i)),
          0);
      }
      EXPECT_GE(H5Fclose(made), 0);
      std::vector<hid_t> files;
      // Without a word, HDF5 finds out that all read the same.
      for (const auto how :
        { H5FD_DSM_SINGLE_PROCESS, H5FD_DSM_SINGLE_PROCESS_UNCHECKED, H5FD_DSM_SINGLE_PROCESS_OFF })
      {
        SCOPED_TRACE(how);
        const Transfers transfers(how);
        const hid_t file = H5Fopen(this->Name("small.h5").c_str(), H5F_ACC_RDONLY, this->Live);
        ASSERT_GE(file, 0);
        for (int turn = 0; turn < 2; ++turn)
        {
          for (int i = 0; i < Sets; ++i)
          {
            const int one = turn == 0 ? i : Sets - 1 - i;
            EXPECT_EQ(Counted(Count, 1000 * one), Numbers(file, name(one)).Read(transfers, Count));
          }
        }
        const Numbers some(file, name(7));
        some.Select(3, 5, 20);
        const auto values = some.Read(transfers, 20);
        ASSERT_EQ(20u, values.size());
        EXPECT_EQ(7000 + 3 + 5 * 19, values.back());
        if (how == H5FD_DSM_SINGLE_PROCESS && this->Part.Size > 1)
        {
          // Though the bytes are here, who asks for others is told.
          some.Select(this->Part.Rank == 0 ? 0 : 1, 1, 20);
          H5E_BEGIN_TRY
          {
            EXPECT_TRUE(some.Read(transfers, 20).empty());
          }
          H5E_END_TRY
          EXPECT_NE(std::string::npos, some.Failure.find("single-process")) << some.Failure;
        }
        H5Sselect_all(some.Space);
        EXPECT_EQ(Counted(Count, 7000), some.Read(transfers, Count));
        files.push_back(file);
      }
      for (const hid_t file : files)
      {
        EXPECT_GE(H5Fclose(file), 0);
      }
    },
    [&](LocalServer& server) { this->SaveAll(server); });
}

// The call fails on all ranks, with a reason that names them, and nothing was written.
TEST_P(SingleProcess, DifferentBytesAreRefused)
{
  if (this->IsHost ? this->World.Size - this->Part.Size < 2 : this->Part.Size < 2)
  {
    GTEST_SKIP() << "one rank alone";
  }
  this->Couple(
    [&]
    {
      const Transfers one(H5FD_DSM_SINGLE_PROCESS);
      const Transfers each(H5FD_DSM_SINGLE_PROCESS_OFF);
      const bool last = this->Part.Rank == this->Part.Size - 1;
      const hid_t file = this->Create("refused.h5");
      std::optional<Numbers> made(std::in_place, file, "set", 1000);
      const Numbers& numbers = *made;
      EXPECT_GE(numbers.Write(one, Counted(1000, 0)), 0);
      struct Case
      {
        hsize_t Start, Stride, Count;
        std::string Says;
      };
      const std::vector<Case> cases{ { 100, 1, 10, "40 bytes in 1 piece from address" },
        { 0, 1, 11, "44 bytes in 1 piece from address" }, { 0, 2, 10, "40 bytes in 10 pieces" } };
      for (const Case& other : cases)
      {
        SCOPED_TRACE(other.Says);
        for (const bool writes : { false, true })
        {
          const hsize_t count = last ? other.Count : 10;
          last ? numbers.Select(other.Start, other.Stride, other.Count) : numbers.Select(0, 1, 10);
          H5E_BEGIN_TRY
          {
            const bool good = writes ? numbers.Write(one, Counted(count, 7000)) >= 0
                                     : !numbers.Read(one, count).empty();
            EXPECT_FALSE(good);
          }
          H5E_END_TRY
          const std::string& reasons = numbers.Failure;
          EXPECT_NE(std::string::npos, reasons.find(other.Says)) << reasons;
          EXPECT_NE(std::string::npos, reasons.find("refused.h5")) << reasons;
          EXPECT_NE(std::string::npos,
            reasons.find("rank " + std::to_string(this->Part.Size - 1) + " " +
              std::to_string(4 * other.Count)))
            << reasons;
        }
      }
      // As many from the same place on, and not the same.
      last ? numbers.Select(0, 3, 10) : numbers.Select(0, 2, 10);
      H5E_BEGIN_TRY
      {
        EXPECT_TRUE(numbers.Read(one, 10).empty());
        EXPECT_NE(std::string::npos, numbers.Failure.find("at different places"))
          << numbers.Failure;
      }
      H5E_END_TRY
      // The file is as good as before.
      H5Sselect_all(numbers.Space);
      EXPECT_EQ(Counted(1000, 0), numbers.Read(one, 1000));
      EXPECT_EQ(Counted(1000, 0), numbers.Read(each, 1000));
      made.reset();
      EXPECT_GE(H5Fclose(file), 0);
    },
    [&](LocalServer& server) { EXPECT_EQ(1u, this->SaveAll(server).size()); });
}

// DSM_SINGLE_PROCESS decides for programs that ask for nothing: rank 0's environment counts.
TEST_P(SingleProcess, AsTheEnvironmentSays)
{
  constexpr hsize_t Count = 50000;
  this->Couple(
    [&]
    {
      const Transfers plain(H5FD_DSM_SINGLE_PROCESS_OFF);
      const Transfers one(H5FD_DSM_SINGLE_PROCESS);
      for (const char* policy : { "same", "off" })
      {
        if (this->Part.Rank == 0)
        {
          setenv("DSM_SINGLE_PROCESS", policy, 1);
        }
        const hid_t file = this->Create(std::string(policy) + ".h5");
        {
          const Numbers alike(file, "alike", Count);
          EXPECT_GE(alike.Write(std::string(policy) == "off" ? one : plain, Counted(Count, 3)), 0);
          EXPECT_EQ(Counted(Count, 3), alike.Read(plain, Count));
          // Each has its own part, which stays so.
          const Numbers own(file, "own", 10 * static_cast<hsize_t>(this->Part.Size));
          const int begin = 10 * this->Part.Rank;
          own.Select(static_cast<hsize_t>(begin), 1, 10);
          EXPECT_GE(own.Write(plain, Counted(10, begin)), 0);
          EXPECT_EQ(Counted(10, begin), own.Read(plain, 10));
        }
        EXPECT_GE(H5Fclose(file), 0);
        unsetenv("DSM_SINGLE_PROCESS");
      }
      if (this->Part.Rank == 0)
      {
        setenv("DSM_SINGLE_PROCESS", "perhaps", 1);
      }
      H5E_BEGIN_TRY
      {
        EXPECT_LT(
          H5Fcreate(this->Name("no.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, this->Live), 0);
        EXPECT_NE(std::string::npos, Reasons().find("DSM_SINGLE_PROCESS")) << Reasons();
      }
      H5E_END_TRY
      unsetenv("DSM_SINGLE_PROCESS");
    },
    [&](LocalServer& server)
    {
      const auto same = this->Next(server, 0);
      const auto off = this->Next(server, 1);
      ASSERT_TRUE(same && off);
      const auto writers = static_cast<std::uint64_t>(this->World.Size - this->Part.Size);
      EXPECT_LT(same->Statistics.Bytes, 8 * Count);
      EXPECT_GE(off->Statistics.Bytes, writers * 4 * Count);
    });
}

INSTANTIATE_TEST_SUITE_P(All, SingleProcess,
  testing::ValuesIn(AllTransports("mpi-rma,mpi-messages:1KiB")),
  [](const auto& info) { return TestName(info.param); });

TEST(SingleProcessProperty, SetAndGet)
{
  const hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
  H5FD_dsm_single_process_t how = H5FD_DSM_SINGLE_PROCESS;
  EXPECT_GE(H5Pget_dxpl_dsm_single_process(dxpl, &how), 0);
  EXPECT_EQ(H5FD_DSM_SINGLE_PROCESS_OFF, how);
  EXPECT_GE(H5Pset_dxpl_dsm_single_process(dxpl, H5FD_DSM_SINGLE_PROCESS), 0);
  H5FD_mpio_xfer_t mode = H5FD_MPIO_INDEPENDENT;
  H5Pget_dxpl_mpio(dxpl, &mode);
  EXPECT_EQ(H5FD_MPIO_COLLECTIVE, mode);
  const hid_t copy = H5Pcopy(dxpl);
  EXPECT_GE(H5Pset_dxpl_dsm_single_process(dxpl, H5FD_DSM_SINGLE_PROCESS_UNCHECKED), 0);
  EXPECT_GE(H5Pget_dxpl_dsm_single_process(copy, &how), 0);
  EXPECT_EQ(H5FD_DSM_SINGLE_PROCESS, how);
  EXPECT_GE(H5Pget_dxpl_dsm_single_process(dxpl, &how), 0);
  EXPECT_EQ(H5FD_DSM_SINGLE_PROCESS_UNCHECKED, how);
  EXPECT_GE(H5Pset_dxpl_dsm_single_process(dxpl, H5FD_DSM_SINGLE_PROCESS_OFF), 0);
  EXPECT_GE(H5Pget_dxpl_dsm_single_process(dxpl, &how), 0);
  EXPECT_EQ(H5FD_DSM_SINGLE_PROCESS_OFF, how);
  H5E_BEGIN_TRY
  {
    EXPECT_LT(H5Pset_dxpl_dsm_single_process(dxpl, static_cast<H5FD_dsm_single_process_t>(3)), 0);
    const hid_t other = H5Pcreate(H5P_FILE_ACCESS);
    EXPECT_LT(H5Pset_dxpl_dsm_single_process(other, H5FD_DSM_SINGLE_PROCESS), 0);
    EXPECT_LT(H5Pset_dxpl_dsm_single_process(other, H5FD_DSM_SINGLE_PROCESS_OFF), 0);
    EXPECT_LT(H5Pget_dxpl_dsm_single_process(other, &how), 0);
    EXPECT_LT(H5Pset_dxpl_dsm_single_process(H5P_DEFAULT, H5FD_DSM_SINGLE_PROCESS), 0);
    H5Pclose(other);
  }
  H5E_END_TRY
  H5Pclose(copy);
  H5Pclose(dxpl);
}

}
