// SPDX-License-Identifier: BSD-3-Clause
// HDF5 files in the hosts' memory. The job is split into hosts (the first ranks) and writers (the
// others), which meet over control channel and shared memory only. Every file is also written to
// disk by HDF5's own MPI-IO driver: the snapshots must equal those files byte for byte.
#include "DriverFixture.h"

namespace
{

using namespace drivertests;

TEST_F(Driver, CollectiveEqualsDisk)
{
  this->CompareWithDisk(Layout{});
}

TEST_F(Driver, IndependentEqualsDisk)
{
  Layout layout;
  layout.Collective = false;
  this->Options.Map.Strategy = "contiguous";
  this->CompareWithDisk(layout);
}

TEST_F(Driver, UserBlockAndLatestFormatEqualDisk)
{
  Layout layout;
  layout.UserBlock = 1024;
  layout.LatestFormat = true;
  this->Options.Map = { "random block", 3000, 7, 2011 };
  this->CompareWithDisk(layout);
}

// HDF5 then describes transfers by MPI datatypes instead of sizes.
TEST_F(Driver, WithoutSelectionIoEqualsDisk)
{
  Layout layout;
  layout.SelectionIo = false;
  this->Options.Map.Strategy = "mask";
  this->Options.ExpectedFileSize = 40000;
  this->CompareWithDisk(layout);
}

TEST_F(Driver, SmallBlocksEqualDisk)
{
  this->Options.Map.BlockSize = 48;
  this->Options.Map.BlocksPerCycle = 5;
  this->CompareWithDisk(Layout{});
}

// The library itself switches to MPI datatypes here, in a file opened read-only whose chunk fits
// the chunk cache: a driver that does not know reads nonsense without an error.
TEST_F(Driver, CollectiveReadOfChunksInReadOnlyFile)
{
  const std::string live = this->Name("chunks.h5");
  constexpr hsize_t Size = 3072;
  const auto check = [&](const std::string& name, hid_t fapl, MPI_Comm comm)
  {
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const hid_t file = H5Fopen(name.c_str(), H5F_ACC_RDONLY, fapl);
    ASSERT_GE(file, 0);
    const hid_t set = H5Dopen2(file, "values", H5P_DEFAULT);
    const hid_t space = H5Dget_space(set);
    // Every ranks-th element: no simple run.
    const hsize_t start = static_cast<hsize_t>(rank);
    const hsize_t stride = static_cast<hsize_t>(ranks);
    const hsize_t count = (Size - start + stride - 1) / stride;
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &stride, &count, nullptr);
    const hid_t memory = H5Screate_simple(1, &count, nullptr);
    const hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_dxpl_mpio(dxpl, H5FD_MPIO_COLLECTIVE);
    std::vector<int> values(count, -1);
    EXPECT_GE(H5Dread(set, H5T_NATIVE_INT, memory, space, dxpl, values.data()), 0);
    hsize_t wrong = 0;
    for (hsize_t i = 0; i < count; ++i)
    {
      wrong += values[i] != static_cast<int>(start + i * stride) ? 1 : 0;
    }
    EXPECT_EQ(0u, wrong);
    H5Pclose(dxpl);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
    EXPECT_GE(H5Fclose(file), 0);
  };
  this->Couple(
    [&]
    {
      const hid_t file = H5Fcreate(live.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, this->Live);
      ASSERT_GE(file, 0);
      const hsize_t size = Size;
      const hsize_t chunk = 256;
      const hid_t space = H5Screate_simple(1, &size, nullptr);
      const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
      H5Pset_chunk(dcpl, 1, &chunk);
      const hid_t set =
        H5Dcreate2(file, "values", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
      if (this->Part.Rank == 0)
      {
        std::vector<int> values(Size);
        for (hsize_t i = 0; i < Size; ++i)
        {
          values[i] = static_cast<int>(i);
        }
        EXPECT_GE(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
      }
      H5Pclose(dcpl);
      H5Sclose(space);
      H5Dclose(set);
      EXPECT_GE(H5Fclose(file), 0);
      check(live, this->Live, this->PartComm);
      this->World.Barrier();
      this->World.Barrier();
    },
    [&](LocalServer& server)
    {
      const auto snapshot = this->Next(server, 0);
      ASSERT_TRUE(snapshot);
      this->World.Barrier();
      check(SnapshotName(this->Contact, snapshot->Number), this->Live, this->PartComm);
      this->World.Barrier();
    });
}

// ParaView's processes hold the connection: any HDF5 reader there opens a snapshot by either name,
// alone or together, with the default access list.
TEST_F(Driver, HostsReadByEitherName)
{
  const std::string live = this->Name("field.0012.5.h5");
  this->Couple(
    [&]
    {
      patterns::Write(live, this->Live, this->Part, Layout{});
      this->World.Barrier();
      this->World.Barrier();
    },
    [&](LocalServer& server)
    {
      const auto snapshot = this->Next(server, 0);
      ASSERT_TRUE(snapshot);
      EXPECT_EQ(12.5, snapshot->Step);
      EXPECT_GT(snapshot->Statistics.Bytes, 8u * 24 * 30 * 8);
      EXPECT_GT(snapshot->Statistics.WriteSeconds, 0);
      EXPECT_GE(snapshot->Statistics.BlockedSeconds, snapshot->Statistics.WriteSeconds);
      this->World.Barrier();
      ASSERT_GE(H5FD_dsm_set_default(), 0);
      for (const std::string& name : { live, SnapshotName(this->Contact, snapshot->Number) })
      {
        SCOPED_TRACE(name);
        patterns::Check(name, H5P_DEFAULT, Team{}, Layout{});
        EXPECT_GT(H5Fis_accessible(name.c_str(), H5P_DEFAULT), 0);
        const hid_t together = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_fapl_dsm(together, this->PartComm, MPI_INFO_NULL, nullptr);
        patterns::Check(name, together, this->Part, Layout{});
        H5Pclose(together);
        // A snapshot never changes.
        H5E_BEGIN_TRY
        {
          const std::string number = SnapshotName(this->Contact, snapshot->Number);
          EXPECT_LT(H5Fopen(number.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), 0);
        }
        H5E_END_TRY
      }
      EXPECT_GE(H5FD_dsm_unset_default(), 0);
      this->World.Barrier();
    });
}

TEST_F(Driver, SeveralImagesAtOnceAndOneReplaced)
{
  this->Couple(
    [&]
    {
      const hid_t one =
        H5Fcreate(this->Name("one.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, this->Live);
      const hid_t two =
        H5Fcreate(this->Name("two.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, this->Live);
      ASSERT_GE(one, 0);
      ASSERT_GE(two, 0);
      H5Gclose(H5Gcreate2(one, "in one", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
      H5Gclose(H5Gcreate2(two, "in two", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
      EXPECT_GE(H5Fclose(two), 0);
      EXPECT_GE(H5Fclose(one), 0);
      // Written again under the same name: the newest counts.
      const hid_t again =
        H5Fcreate(this->Name("one.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, this->Live);
      H5Gclose(H5Gcreate2(again, "in another", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
      EXPECT_GE(H5Fclose(again), 0);
      const hid_t read = H5Fopen(this->Name("one.h5").c_str(), H5F_ACC_RDONLY, this->Live);
      ASSERT_GE(read, 0);
      EXPECT_GT(H5Lexists(read, "in another", H5P_DEFAULT), 0);
      EXPECT_EQ(0, H5Lexists(read, "in one", H5P_DEFAULT));
      EXPECT_GE(H5Fclose(read), 0);
      // H5F_ACC_EXCL finds what is in memory.
      H5E_BEGIN_TRY
      {
        EXPECT_LT(
          H5Fcreate(this->Name("one.h5").c_str(), H5F_ACC_EXCL, H5P_DEFAULT, this->Live), 0);
        EXPECT_NE(std::string::npos, Reasons().find("ile exists")) << Reasons(); // in MPI's words
      }
      H5E_END_TRY
    },
    [&](LocalServer& server)
    {
      const auto snapshots = this->SaveAll(server);
      ASSERT_EQ(3u, snapshots.size());
      EXPECT_EQ(this->Name("two.h5"), snapshots[0].FileName);
      EXPECT_EQ(this->Name("one.h5"), snapshots[1].FileName);
      EXPECT_EQ(this->Name("one.h5"), snapshots[2].FileName);
    });
}

// Each rank has a file of its own, opened without a communicator.
TEST_F(Driver, SerialFilesEqualDisk)
{
  const std::string own = this->Name("own" + std::to_string(this->World.Rank) + ".h5");
  const std::string disk = this->Name("disk" + std::to_string(this->World.Rank) + ".h5");
  this->Couple(
    [&]
    {
      const hid_t serial = H5Pcreate(H5P_FILE_ACCESS);
      const hid_t stock = H5Pcreate(H5P_FILE_ACCESS);
      H5Pset_fapl_dsm(serial, MPI_COMM_NULL, MPI_INFO_NULL, this->Contact.c_str());
      patterns::Write(own, serial, Team{}, Layout{});
      patterns::Check(own, serial, Team{}, Layout{});
      patterns::Write(disk, stock, Team{}, Layout{});
      // Back from memory to a file on disk, through HDF5 itself.
      const hid_t live = H5Fopen(own.c_str(), H5F_ACC_RDONLY, serial);
      ASSERT_GE(live, 0);
      const hid_t copy = H5Fcreate((own + ".copy").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, stock);
      EXPECT_GE(H5Ocopy(live, "rows", copy, "rows", H5P_DEFAULT, H5P_DEFAULT), 0);
      // The file lives as long as the last object in it, as one of sec2 does.
      const hid_t group = H5Gopen2(live, "group 3", H5P_DEFAULT);
      EXPECT_GE(H5Fclose(live), 0);
      EXPECT_GT(H5Lexists(group, "small", H5P_DEFAULT), 0);
      EXPECT_GE(H5Gclose(group), 0);
      H5Fclose(copy);
      H5Pclose(serial);
      H5Pclose(stock);
      this->Part.Barrier();
    },
    [&](LocalServer& server)
    {
      for (const auto& snapshot : this->SaveAll(server))
      {
        if (this->Part.Rank == 0)
        {
          std::string disk = snapshot.FileName;
          disk.replace(disk.rfind("own"), 3, "disk");
          EXPECT_TRUE(patterns::SameContents(disk, this->Saved(snapshot.Number)));
        }
      }
    });
}

// As with sec2: what a process opens again is the file it has, and closes with the last of them.
TEST_F(Driver, OneFileOpenedTwiceIsOne)
{
  const std::string own = this->Name("twice" + std::to_string(this->World.Rank) + ".h5");
  this->Couple(
    [&]
    {
      const auto number = [](hid_t file)
      {
        unsigned long found = 0;
        EXPECT_GE(H5Fget_fileno(file, &found), 0);
        return found;
      };
      const hid_t serial = H5Pcreate(H5P_FILE_ACCESS);
      H5Pset_fapl_dsm(serial, MPI_COMM_NULL, MPI_INFO_NULL, this->Contact.c_str());
      const hid_t first = H5Fcreate(own.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, serial);
      ASSERT_GE(first, 0);
      EXPECT_GE(H5Gclose(H5Gcreate2(first, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)), 0);
      const hid_t second = H5Fopen(own.c_str(), H5F_ACC_RDONLY, serial);
      ASSERT_GE(second, 0);
      EXPECT_EQ(number(first), number(second));
      EXPECT_GT(H5Lexists(second, "group", H5P_DEFAULT), 0);
      EXPECT_GT(H5Fis_accessible(own.c_str(), serial), 0);
      H5E_BEGIN_TRY
      {
        EXPECT_LT(H5Fcreate(own.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, serial), 0);
        EXPECT_LT(H5Fcreate(own.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, serial), 0);
      }
      H5E_END_TRY
      EXPECT_GE(H5Fclose(first), 0);
      EXPECT_GT(H5Lexists(second, "group", H5P_DEFAULT), 0);
      EXPECT_GE(H5Fclose(second), 0);
      // A snapshot is one file as well, which is not created anew while the process has it open.
      const hid_t read = H5Fopen(own.c_str(), H5F_ACC_RDONLY, serial);
      const hid_t again = H5Fopen(own.c_str(), H5F_ACC_RDONLY, serial);
      EXPECT_EQ(number(read), number(again));
      H5E_BEGIN_TRY
      {
        EXPECT_LT(H5Fcreate(own.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, serial), 0);
      }
      H5E_END_TRY
      EXPECT_GE(H5Fclose(read), 0);
      EXPECT_GT(H5Lexists(again, "group", H5P_DEFAULT), 0);
      EXPECT_GE(H5Fclose(again), 0);
      EXPECT_GE(H5Fclose(H5Fcreate(own.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, serial)), 0);
      const hid_t newer = H5Fopen(own.c_str(), H5F_ACC_RDONLY, serial);
      ASSERT_GE(newer, 0);
      EXPECT_EQ(H5Lexists(newer, "group", H5P_DEFAULT), 0);
      EXPECT_GE(H5Fclose(newer), 0);
      H5Pclose(serial);
      this->Part.Barrier();
    },
    [&](LocalServer& server)
    {
      // Two of each writer: nothing was published before it was closed for good.
      const auto writers = static_cast<std::size_t>(this->World.Size - this->Part.Size);
      EXPECT_EQ(2 * writers, this->SaveAll(server).size());
    });
}

// SWMR in one process: HDF5 sees that it has the file open.
TEST_F(Driver, FilesReadWhileTheyAreWritten)
{
  const std::string own = this->Name("swmr" + std::to_string(this->World.Rank) + ".h5");
  this->Couple(
    [&]
    {
      const hid_t serial = H5Pcreate(H5P_FILE_ACCESS);
      H5Pset_fapl_dsm(serial, MPI_COMM_NULL, MPI_INFO_NULL, this->Contact.c_str());
      ASSERT_GE(H5Pset_libver_bounds(serial, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), 0);
      EXPECT_GE(H5Fclose(H5Fcreate(own.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, serial)), 0);
      EXPECT_FALSE(OnDisk(own));
      const hid_t read = H5Fopen(own.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, serial);
      EXPECT_GE(read, 0);
      EXPECT_GE(H5Fclose(read), 0);
      const hid_t again = H5Fopen(own.c_str(), H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, serial);
      EXPECT_GE(again, 0);
      const hid_t meanwhile = H5Fopen(own.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, serial);
      EXPECT_GE(meanwhile, 0);
      EXPECT_GE(H5Fclose(meanwhile), 0);
      EXPECT_GE(H5Fclose(again), 0);
      const std::string other = own + ".other";
      const hid_t written =
        H5Fcreate(other.c_str(), H5F_ACC_TRUNC | H5F_ACC_SWMR_WRITE, H5P_DEFAULT, serial);
      EXPECT_GE(written, 0);
      EXPECT_GE(H5Fclose(written), 0);
      EXPECT_FALSE(OnDisk(other));
      H5Pclose(serial);
      this->Part.Barrier();
    },
    [&](LocalServer& server)
    {
      const auto writers = static_cast<std::size_t>(this->World.Size - this->Part.Size);
      EXPECT_LE(2 * writers, this->SaveAll(server).size());
    });
}

TEST_F(Driver, PatternDecidesWhatGoesToMemory)
{
  this->Couple(
    [&]
    {
      setenv("DSM_MATCH", "*.live.h5", 1);
      patterns::Write(this->Name("a.live.h5"), this->Live, this->Part, Layout{});
      patterns::Write(this->Name("a.h5"), this->Live, this->Part, Layout{});
      patterns::Check(this->Name("a.h5"), this->Live, this->Part, Layout{});
      unsetenv("DSM_MATCH");
      EXPECT_TRUE(OnDisk(this->Name("a.h5")));
      EXPECT_FALSE(OnDisk(this->Name("a.live.h5")));
    },
    [&](LocalServer& server)
    {
      const auto snapshots = this->SaveAll(server);
      ASSERT_EQ(1u, snapshots.size());
      EXPECT_EQ(this->Name("a.live.h5"), snapshots[0].FileName);
    });
}

// A program that begins with reading its input is a simulation all the same: the hosts learn when
// it has left.
TEST_F(Driver, ReadsFirstAndWritesThen)
{
  this->Couple(
    [&]
    {
      patterns::Write(this->Name("input.h5"), this->Stock, this->Part, Layout{});
      patterns::Check(this->Name("input.h5"), this->Live, this->Part, Layout{});
      patterns::Write(this->Name("output.h5"), this->Live, this->Part, Layout{});
    },
    [&](LocalServer& server)
    {
      EXPECT_EQ(1u, this->SaveAll(server).size());
      if (this->Part.Rank == 0)
      {
        EXPECT_EQ(1u, server.Status().WritersSeen);
      }
    });
}

// A file larger than the ring: the call that asks for the room fails, with the reason, on all
// ranks, and no snapshot appears that lacks what could not be stored.
TEST_F(Driver, TooLargeAFileFailsCleanly)
{
  this->Couple(
    [&]
    {
      const hid_t file =
        H5Fcreate(this->Name("large.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, this->Live);
      ASSERT_GE(file, 0);
      const hsize_t size = 512 << 20;
      const hid_t space = H5Screate_simple(1, &size, nullptr);
      const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
      H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY);
      H5Pset_fill_time(dcpl, H5D_FILL_TIME_NEVER);
      H5E_BEGIN_TRY
      {
        const hid_t set =
          H5Dcreate2(file, "too much", H5T_NATIVE_CHAR, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
        EXPECT_LT(set, 0);
        EXPECT_NE(std::string::npos, Reasons().find("the hosts' memory has room for")) << Reasons();
      }
      H5E_END_TRY
      H5Pclose(dcpl);
      H5Sclose(space);
      H5Gclose(H5Gcreate2(file, "still fine", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
      H5E_BEGIN_TRY
      {
        EXPECT_LT(H5Fclose(file), 0);
        EXPECT_NE(std::string::npos, Reasons().find("is incomplete")) << Reasons();
      }
      H5E_END_TRY
    },
    [&](LocalServer& server) { EXPECT_EQ(0u, this->SaveAll(server).size()); });
}

// MPICH has some two thousand communicators.
TEST_F(Driver, OpensThatFailCostNothing)
{
  if (this->World.Size != 5)
  {
    GTEST_SKIP() << "takes seconds, and is the same for all numbers of ranks";
  }
  this->Couple(
    [&]
    {
      const std::string name = this->Name("there.h5");
      const hid_t first = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, this->Live);
      ASSERT_GE(H5Fclose(first), 0);
      H5E_BEGIN_TRY
      {
        for (int attempt = 0; attempt < 2100; ++attempt)
        {
          ASSERT_LT(H5Fcreate(name.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, this->Live), 0);
        }
      }
      H5E_END_TRY
      const hid_t file =
        H5Fcreate(this->Name("next.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, this->Live);
      ASSERT_GE(file, 0);
      EXPECT_GE(H5Fclose(file), 0);
    },
    [&](LocalServer& server) { EXPECT_EQ(this->SaveAll(server).size(), 2u); });
}

TEST_F(Driver, HandleAtomicityInfoAndDelete)
{
  const std::string live = this->Name("handle.h5");
  this->Couple(
    [&]
    {
      const hid_t file = H5Fcreate(live.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, this->Live);
      ASSERT_GE(file, 0);
      H5E_BEGIN_TRY
      {
        EXPECT_LT(H5Fset_mpi_atomicity(file, true), 0);
      }
      H5E_END_TRY
      const hid_t access = H5Fget_access_plist(file);
      ASSERT_GE(access, 0);
      MPI_Comm comm = MPI_COMM_NULL;
      MPI_Info info = MPI_INFO_NULL;
      char contact[4096] = "";
      ASSERT_GE(H5Pget_fapl_dsm(access, &comm, &info, contact, sizeof contact), 0);
      int result = MPI_UNEQUAL;
      MPI_Comm_compare(comm, this->PartComm, &result);
      EXPECT_EQ(MPI_CONGRUENT, result);
      EXPECT_EQ(this->Contact, contact);
      MPI_Comm_free(&comm);
      if (info != MPI_INFO_NULL)
      {
        MPI_Info_free(&info);
      }
      H5Pclose(access);
      EXPECT_GE(H5Fclose(file), 0);
      EXPECT_GE(H5Fdelete(live.c_str(), this->Live), 0);
      EXPECT_FALSE(std::filesystem::exists(live));
    },
    [&](LocalServer& server) { EXPECT_EQ(1u, this->SaveAll(server).size()); });
}

}
