// SPDX-License-Identifier: BSD-3-Clause
// Pieces that do not follow one another, in each way by each transport with each map: what arrives
// is byte for byte what MPI-IO writes to disk, and it is read back.
//
// Usage: dsmTransferModeTests HOSTS
#include "TransportFixture.h"

#include <array>

namespace
{

using namespace drivertests;

constexpr std::array<H5FD_dsm_transfer_t, 4> Modes{ H5FD_DSM_TRANSFER_AUTO,
  H5FD_DSM_TRANSFER_INDEPENDENT, H5FD_DSM_TRANSFER_DATATYPE, H5FD_DSM_TRANSFER_COLLECTIVE };

class TransferModes : public AnyTransport
{
protected:
  std::size_t Hosts() const
  {
    return static_cast<std::size_t>(
      this->IsHost ? this->Part.Size : this->World.Size - this->Part.Size);
  }

  // More pieces than go together, few columns, so that some ranks have none.
  static Layout Tall()
  {
    Layout layout;
    layout.Rows = 600;
    layout.Columns = 7;
    layout.Filters = false;
    return layout;
  }
};

TEST_P(TransferModes, CarryWhatIsWritten)
{
  Layout layout = Tall();
  const auto& onDisk = this->OnDisk(
    [&](const std::string& name) { patterns::Write(name, this->Stock, this->Part, layout); });
  // With each strategy two modes, other ones with other numbers of hosts.
  for (const std::size_t turn : { this->Hosts(), this->Hosts() + 2 })
  {
    std::size_t strategy = 0;
    this->CompareAll(onDisk,
      [&](const std::string& name)
      {
        layout.Transfer = Modes[(turn + strategy++) % Modes.size()];
        patterns::Write(name, this->Live, this->Part, layout);
        patterns::Check(name, this->Live, this->Part, layout);
      });
  }
}

// Transfers of which the ranks know nothing of each other.
TEST_P(TransferModes, CarryWhatIsWrittenIndependently)
{
  Layout layout = Tall();
  const auto& onDisk = this->OnDisk(
    [&](const std::string& name) { patterns::Write(name, this->Stock, this->Part, layout); });
  layout.Collective = false;
  std::size_t turn = 0;
  this->CompareAll(onDisk,
    [&](const std::string& name)
    {
      layout.Transfer = Modes[turn++ % Modes.size()];
      patterns::Write(name, this->Live, this->Part, layout);
      patterns::Check(name, this->Live, this->Part, layout);
    });
}

// Two columns or so for each rank, of many rows: what a rank writes in a call is more than goes to
// a host at once. Each reads others' columns.
TEST_P(TransferModes, CarryATallThinArray)
{
  constexpr hsize_t rows = 40000;
  const auto each = [&](H5FD_dsm_transfer_t mode)
  {
    const std::string name = this->Name("tall" + std::to_string(mode) + ".h5");
    const auto columns = 2 * static_cast<hsize_t>(this->Part.Size);
    const hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
    EXPECT_GE(H5Pset_dxpl_mpio(dxpl, H5FD_MPIO_COLLECTIVE), 0);
    EXPECT_GE(H5Pset_dxpl_dsm_transfer(dxpl, mode), 0);
    const hid_t file = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, this->Live);
    ASSERT_GE(file, 0);
    const std::array<hsize_t, 2> size{ rows, columns };
    const hid_t space = H5Screate_simple(2, size.data(), nullptr);
    const hid_t set =
      H5Dcreate2(file, "tall", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    std::vector<double> values(rows * 2);
    const auto select = [&](hsize_t row, hsize_t column, hsize_t height, hsize_t width)
    {
      const std::array<hsize_t, 2> start{ row, column };
      const std::array<hsize_t, 2> count{ height, width };
      H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
      const hsize_t total = height * width;
      return H5Screate_simple(1, &total, nullptr);
    };
    // The first rank has three columns, the last one.
    const auto rank = static_cast<hsize_t>(this->Part.Rank);
    const bool isFirst = rank == 0;
    const bool isLast = rank + 1 == static_cast<hsize_t>(this->Part.Size);
    const hsize_t begin = 2 * rank + (isFirst ? 0 : 1);
    const hsize_t width = isFirst && isLast ? 2 : isFirst ? 3 : isLast ? 1 : 2;
    values.resize(rows * width);
    for (hsize_t i = 0; i < values.size(); ++i)
    {
      const hsize_t row = i / width;
      values[i] = static_cast<double>(row * columns + begin + i % width);
    }
    const hid_t written = select(0, begin, rows, width);
    EXPECT_GE(H5Dwrite(set, H5T_NATIVE_DOUBLE, written, space, dxpl, values.data()), 0);
    // What others wrote, in their columns.
    const hsize_t other = (begin + 3) % (columns - 1);
    std::vector<double> found(rows * 2, -1);
    const hid_t read = select(0, other, rows, 2);
    EXPECT_GE(H5Dread(set, H5T_NATIVE_DOUBLE, read, space, dxpl, found.data()), 0);
    hsize_t wrong = 0;
    for (hsize_t i = 0; i < found.size(); ++i)
    {
      const hsize_t row = i / 2;
      wrong += found[i] == static_cast<double>(row * columns + other + i % 2) ? 0 : 1;
    }
    EXPECT_EQ(0u, wrong) << mode;
    H5Sclose(read);
    H5Sclose(written);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(dxpl);
    EXPECT_GE(H5Fclose(file), 0);
  };
  this->Couple(
    [&]
    {
      each(H5FD_DSM_TRANSFER_COLLECTIVE);
      each(H5FD_DSM_TRANSFER_DATATYPE);
    },
    [&](LocalServer& server)
    {
      for (SnapshotId number = 0; const auto next = this->Next(server, number);)
      {
        number = next->Number;
        if (this->Part.Rank == 0)
        {
          server.Release(number);
        }
      }
    });
}

// Who gathers the pieces finds no room for them. All ranks hear of it at the close, and none waits
// for another until then.
TEST_P(TransferModes, WhatFindsNoRoomFailsAtItsCloseOnAllRanks)
{
  // Each takes more than half of the memory.
  const hsize_t size = this->Hosts() * this->Options.MemoryPerHost * 6 / 10 / sizeof(double);
  this->Options.FullRingLimit = Seconds(0.2);
  const auto write = [&](const std::string& name)
  {
    const hid_t file = H5Fcreate(this->Name(name).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, this->Live);
    EXPECT_GE(file, 0);
    const hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_dxpl_mpio(dxpl, H5FD_MPIO_COLLECTIVE);
    H5Pset_dxpl_dsm_transfer(dxpl, H5FD_DSM_TRANSFER_COLLECTIVE);
    const auto start = static_cast<hsize_t>(this->Part.Rank);
    const auto stride = static_cast<hsize_t>(this->Part.Size);
    const hsize_t count = (size - start + stride - 1) / stride;
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &stride, &count, nullptr);
    const hid_t memory = H5Screate_simple(1, &count, nullptr);
    const hid_t set =
      H5Dcreate2(file, "values", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const std::vector<double> values(count, 1.5);
    H5E_BEGIN_TRY
    {
      // A rank that is alone is told at once.
      H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, dxpl, values.data());
    }
    H5E_END_TRY
    H5Dclose(set);
    H5Sclose(memory);
    H5Sclose(space);
    H5Pclose(dxpl);
    return file;
  };
  this->Couple(
    [&]
    {
      const hid_t first = write("first.h5");
      const hid_t second = write("second.h5");
      H5E_BEGIN_TRY
      {
        EXPECT_LT(H5Fclose(second), 0);
      }
      H5E_END_TRY
      EXPECT_GE(H5Fclose(first), 0);
    },
    [&](LocalServer& server)
    {
      const auto snapshots = this->SaveAll(server);
      ASSERT_EQ(1u, snapshots.size());
      EXPECT_EQ(this->Name("first.h5"), snapshots[0].FileName);
    });
}

INSTANTIATE_TEST_SUITE_P(All, TransferModes,
  testing::ValuesIn(AllTransports("mpi-rma,mpi-messages:1KiB")),
  [](const auto& info) { return TestName(info.param); });

/// The property by itself.
class TransferProperty : public testing::Test
{
};

TEST_F(TransferProperty, IsKeptByItsListAndCopies)
{
  const hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
  H5FD_dsm_transfer_t found = H5FD_DSM_TRANSFER_COLLECTIVE;
  EXPECT_GE(H5Pget_dxpl_dsm_transfer(dxpl, &found), 0);
  EXPECT_EQ(H5FD_DSM_TRANSFER_AUTO, found);
  for (const auto mode : Modes)
  {
    EXPECT_GE(H5Pset_dxpl_dsm_transfer(dxpl, mode), 0);
    EXPECT_GE(H5Pget_dxpl_dsm_transfer(dxpl, &found), 0);
    EXPECT_EQ(mode, found);
    const hid_t copy = H5Pcopy(dxpl);
    EXPECT_GE(H5Pget_dxpl_dsm_transfer(copy, &found), 0);
    EXPECT_EQ(mode, found);
    EXPECT_GT(H5Pequal(dxpl, copy), 0);
    H5Pclose(copy);
  }
  H5Pclose(dxpl);
}

TEST_F(TransferProperty, GoesIntoNoOtherList)
{
  const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
  const hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
  H5E_BEGIN_TRY
  {
    EXPECT_LT(H5Pset_dxpl_dsm_transfer(fapl, H5FD_DSM_TRANSFER_DATATYPE), 0);
    EXPECT_LT(H5Pset_dxpl_dsm_transfer(H5P_DATASET_XFER_DEFAULT, H5FD_DSM_TRANSFER_DATATYPE), 0);
    EXPECT_LT(H5Pset_dxpl_dsm_transfer(dxpl, static_cast<H5FD_dsm_transfer_t>(7)), 0);
  }
  H5E_END_TRY
  H5Pclose(dxpl);
  H5Pclose(fapl);
}

}
