// SPDX-License-Identifier: BSD-3-Clause
// Which files a server takes, and when it shows them: publishing at H5Fflush, and name patterns.
// The same file is written to disk by HDF5's MPI-IO driver: what a flush shows must equal what a
// flush leaves there, byte for byte.
#include "DriverFixture.h"

namespace
{

using namespace drivertests;

constexpr hsize_t Each = 700; // values of a rank in a row

/// A file that stays open and grows by a row at each step.
class GrowingFile
{
public:
  GrowingFile(const std::string& name, hid_t fapl, const Team& team)
    : Members(team)
    , File(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, fapl))
  {
    if (this->File < 0)
    {
      return;
    }
    const hsize_t width = Each * static_cast<hsize_t>(team.Size);
    const hsize_t now[2] = { 0, width };
    const hsize_t most[2] = { H5S_UNLIMITED, width };
    const hsize_t chunk[2] = { 3, Each };
    const hid_t space = H5Screate_simple(2, now, most);
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 2, chunk);
    H5Pset_obj_track_times(dcpl, false);
    this->Set =
      H5Dcreate2(this->File, "rows", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    const hid_t scalar = H5Screate(H5S_SCALAR);
    this->Attribute =
      H5Acreate2(this->Set, "step", H5T_STD_I32LE, scalar, H5P_DEFAULT, H5P_DEFAULT);
    H5Sclose(scalar);
    H5Pclose(dcpl);
    H5Sclose(space);
  }

  void Grow()
  {
    const hsize_t size[2] = { this->Rows + 1, Each * static_cast<hsize_t>(this->Members.Size) };
    ASSERT_GE(H5Dset_extent(this->Set, size), 0);
    this->WriteRow(this->Rows, 0);
    const int step = static_cast<int>(this->Rows);
    ASSERT_GE(H5Awrite(this->Attribute, H5T_NATIVE_INT, &step), 0);
    ++this->Rows;
  }

  // All rows once more, with other values.
  void Rewrite(int more)
  {
    for (hsize_t row = 0; row < this->Rows; ++row)
    {
      this->WriteRow(row, more);
    }
  }

  void WriteRow(hsize_t row, int more)
  {
    const hid_t space = H5Dget_space(this->Set);
    const hsize_t begin[2] = { row, Each * static_cast<hsize_t>(this->Members.Rank) };
    const hsize_t count[2] = { 1, Each };
    H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, nullptr, count, nullptr);
    const hid_t memory = H5Screate_simple(2, count, nullptr);
    std::vector<int> values(Each);
    for (hsize_t i = 0; i < Each; ++i)
    {
      values[i] = Value(row, begin[1] + i) + more;
    }
    const hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_dxpl_mpio(dxpl, H5FD_MPIO_COLLECTIVE);
    ASSERT_GE(H5Dwrite(this->Set, H5T_NATIVE_INT, memory, space, dxpl, values.data()), 0);
    H5Pclose(dxpl);
    H5Sclose(memory);
    H5Sclose(space);
  }

  herr_t Flush() const { return H5Fflush(this->File, H5F_SCOPE_GLOBAL); }

  herr_t Close()
  {
    H5Aclose(this->Attribute);
    H5Dclose(this->Set);
    return H5Fclose(this->File);
  }

  static int Value(hsize_t row, hsize_t column) { return static_cast<int>(row * 100000 + column); }

  const Team Members;
  hid_t File;
  hid_t Set = H5I_INVALID_HID;
  hid_t Attribute = H5I_INVALID_HID;
  hsize_t Rows = 0;
};

class FilePolicy : public Driver
{
protected:
  // What a name has now, by the live driver, for this process alone.
  hsize_t RowsIn(const std::string& name, int more = 0) const
  {
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_dsm(fapl, MPI_COMM_NULL, MPI_INFO_NULL, this->Contact.c_str());
    const hid_t file = H5Fopen(name.c_str(), H5F_ACC_RDONLY, fapl);
    const hsize_t rows = file < 0 ? 0 : CheckedRows(file, more);
    if (file >= 0)
    {
      H5Fclose(file);
    }
    H5Pclose(fapl);
    return rows;
  }

  // The rows of an open file, each value looked at.
  static hsize_t CheckedRows(hid_t file, int more)
  {
    const hid_t set = H5Dopen2(file, "rows", H5P_DEFAULT);
    const hid_t space = H5Dget_space(set);
    hsize_t size[2] = {};
    H5Sget_simple_extent_dims(space, size, nullptr);
    std::vector<int> values(size[0] * size[1]);
    EXPECT_GE(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    for (hsize_t i = 0; i < values.size(); ++i)
    {
      if (values[i] != GrowingFile::Value(i / size[1], i % size[1]) + more)
      {
        ADD_FAILURE() << "row " << i / size[1] << " column " << i % size[1] << " has " << values[i];
        break;
      }
    }
    H5Sclose(space);
    H5Dclose(set);
    return size[0];
  }

  // What the server said by itself before now is known when it has answered.
  void Hear() const
  {
    if (const auto link = connections::Find(this->Contact); link && this->Part.Rank == 0)
    {
      link->Request(ListSnapshots());
    }
    this->Part.Barrier();
  }

  void CopyOnRankZero(const std::string& from, const std::string& to) const
  {
    this->Part.Barrier();
    if (this->Part.Rank == 0)
    {
      std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing);
    }
    this->Part.Barrier();
  }
};

TEST_F(FilePolicy, FlushesShowWholeFiles)
{
  constexpr int Steps = 5;
  this->Options.Files.OnFlush = true;
  const std::string live = this->Name("run.h5");
  const std::string disk = this->Name("disk.h5");
  this->Couple(
    [&]
    {
      GrowingFile shown(live, this->Live, this->Part);
      GrowingFile kept(disk, this->Stock, this->Part);
      ASSERT_GE(shown.File, 0);
      for (int step = 1; step <= Steps; ++step)
      {
        shown.Grow();
        kept.Grow();
        ASSERT_GE(kept.Flush(), 0);
        ASSERT_GE(shown.Flush(), 0);
        this->CopyOnRankZero(disk, this->Name("disk" + std::to_string(step) + ".h5"));
        // The snapshot is there when H5Fflush returns, on any rank.
        EXPECT_EQ(static_cast<hsize_t>(step), this->RowsIn(live));
        ASSERT_GE(shown.Flush(), 0); // nothing new, nothing shown
        this->Part.Barrier();
      }
      shown.Grow();
      shown.Grow();
      EXPECT_GE(shown.Close(), 0);
      EXPECT_GE(kept.Close(), 0);
      EXPECT_EQ(static_cast<hsize_t>(Steps + 2), this->RowsIn(live));
    },
    [&](LocalServer& server)
    {
      // Held from the first moment on, and looked at when the file has long gone on.
      const auto first = this->Next(server, 0);
      ASSERT_TRUE(first);
      const auto all = this->SaveAll(server);
      ASSERT_EQ(static_cast<std::size_t>(Steps + 1), all.size());
      if (this->Part.Rank != 0)
      {
        return;
      }
      for (int step = 1; step <= Steps; ++step)
      {
        const auto& snapshot = all[static_cast<std::size_t>(step) - 1];
        EXPECT_EQ(live, snapshot.FileName);
        EXPECT_EQ(step - 1, snapshot.Step);
        EXPECT_GT(snapshot.Statistics.Bytes, 0u);
        EXPECT_TRUE(patterns::Bytes(this->Name("disk" + std::to_string(step) + ".h5")) ==
          patterns::Bytes(this->Saved(snapshot.Number)))
          << "flush " << step;
      }
      const SnapshotView late(server.GetConnection(), first->Number);
      SaveSnapshot(late, this->Name("late.h5"));
      EXPECT_TRUE(
        patterns::Bytes(this->Name("late.h5")) == patterns::Bytes(this->Name("disk1.h5")));
      EXPECT_EQ(0u, server.Status().ImagesAbandoned);
    });
}

TEST_F(FilePolicy, ACloseThatAddsNothingShowsNothing)
{
  this->Options.Files.OnFlush = true;
  this->Couple(
    [&]
    {
      for (const char* name : { "one.h5", "two.h5" })
      {
        GrowingFile file(this->Name(name), this->Live, this->Part);
        file.Grow();
        ASSERT_GE(file.Flush(), 0);
        EXPECT_GE(file.Close(), 0);
        EXPECT_EQ(1u, this->RowsIn(this->Name(name)));
      }
    },
    [&](LocalServer& server)
    {
      EXPECT_EQ(2u, this->SaveAll(server).size());
      const auto status = server.Status();
      EXPECT_EQ(0u, status.ImagesAbandoned);
      EXPECT_TRUE(status.LastError.empty()) << status.LastError;
    });
}

TEST_F(FilePolicy, FlushesShowNothingUnlessAsked)
{
  this->Couple(
    [&]
    {
      GrowingFile file(this->Name("run.h5"), this->Live, this->Part);
      file.Grow();
      ASSERT_GE(file.Flush(), 0);
      this->World.Barrier();
      this->World.Barrier(); // the server has changed its mind
      this->Hear();
      file.Grow();
      ASSERT_GE(file.Flush(), 0);
      file.Grow();
      // The environment of the simulation has the last word.
      this->Part.Barrier();
      setenv("DSM_PUBLISH", "close", 1);
      ASSERT_GE(file.Flush(), 0);
      unsetenv("DSM_PUBLISH");
      EXPECT_GE(file.Close(), 0);
    },
    [&](LocalServer& server)
    {
      this->World.Barrier();
      EXPECT_EQ(0u, server.Status().SnapshotsSealed);
      server.SetFilePolicy({ "*", true });
      this->World.Barrier();
      EXPECT_EQ(2u, this->SaveAll(server).size());
    });
}

// What flushes have shown stays what it was, for who reads it and for who comes later, however
// often the file is written again in the same place.
TEST_F(FilePolicy, WhatAFlushHasShownDoesNotChange)
{
  constexpr int Steps = 4;
  this->Options.Files.OnFlush = true;
  const std::string live = this->Name("run.h5");
  const auto name = [&](int step) { return this->Name("disk" + std::to_string(step) + ".h5"); };
  this->Couple(
    [&]
    {
      GrowingFile shown(live, this->Live, this->Part);
      GrowingFile kept(this->Name("disk.h5"), this->Stock, this->Part);
      for (int row = 0; row < 40; ++row)
      {
        shown.Grow();
        kept.Grow();
      }
      for (int step = 1; step <= Steps; ++step)
      {
        ASSERT_GE(shown.Flush(), 0);
        ASSERT_GE(kept.Flush(), 0);
        this->CopyOnRankZero(this->Name("disk.h5"), name(step));
        this->World.Barrier(); // it is open there
        EXPECT_EQ(40u, this->RowsIn(live, step - 1));
        shown.Rewrite(step);
        kept.Rewrite(step);
        this->World.Barrier(); // and read now
        this->World.Barrier();
      }
      EXPECT_GE(shown.Close(), 0);
      EXPECT_GE(kept.Close(), 0);
      EXPECT_EQ(40u, this->RowsIn(live, Steps));
    },
    [&](LocalServer& server)
    {
      std::vector<std::unique_ptr<SnapshotView>> views;
      for (int step = 1; step <= Steps; ++step)
      {
        this->World.Barrier();
        const SnapshotId number(static_cast<std::uint64_t>(step));
        views.push_back(std::make_unique<SnapshotView>(server.GetConnection(), number));
        std::byte first{};
        views.back()->Read(0, &first, 1);
        this->World.Barrier();
        for (int seen = 1; seen <= step && this->Part.Rank == 0; ++seen)
        {
          const std::string saved = this->Name("view.h5");
          SaveSnapshot(*views[static_cast<std::size_t>(seen) - 1], saved);
          EXPECT_TRUE(patterns::Bytes(saved) == patterns::Bytes(name(seen)))
            << "flush " << seen << " when " << step << " has been written over";
        }
        this->World.Barrier();
      }
      views.clear();
      EXPECT_EQ(static_cast<std::size_t>(Steps + 1), this->SaveAll(server).size());
      EXPECT_TRUE(server.Status().LastError.empty()) << server.Status().LastError;
    });
}

// However many flushes the ring shows, they cost what the file has changed between them.
TEST_F(FilePolicy, FlushesShareWhatTheyShow)
{
  constexpr std::uint64_t Flushes = 60;
  this->Options.Files.OnFlush = true;
  const std::string live = this->Name("run.h5");
  this->Couple(
    [&]
    {
      GrowingFile file(live, this->Live, this->Part);
      for (int row = 0; row < 100; ++row)
      {
        file.Grow();
      }
      for (std::uint64_t flush = 0; flush < Flushes; ++flush)
      {
        file.Grow();
        ASSERT_GE(file.Flush(), 0);
      }
      this->World.Barrier();
      this->World.Barrier(); // the memory has been looked at
      EXPECT_GE(file.Close(), 0);
      EXPECT_EQ(file.Rows, this->RowsIn(live));
    },
    [&](LocalServer& server)
    {
      this->World.Barrier();
      // Of the first file of a process that writes by itself viewers are told a second later.
      EXPECT_TRUE(this->Next(server, Flushes - 1));
      if (this->Part.Rank == 0)
      {
        const auto status = server.Status();
        EXPECT_EQ(Flushes, status.Snapshots.size());
        std::uint64_t size = 0;
        for (const auto& snapshot : status.Snapshots)
        {
          size = snapshot.FileSize;
        }
        // A few pages each on each host, and what the file was granted beyond its end.
        const std::uint64_t pages = Flushes * 8 * AsideBytes::Page * status.HostMemoryUsed.size();
        EXPECT_LT(status.MemoryUsed, 3 * size + pages) << "a file of " << size;
      }
      this->World.Barrier();
      this->SaveAll(server);
    });
}

// The file itself is in no danger when there is no room for what it was: the snapshot goes, and who
// reads it is told.
TEST_F(FilePolicy, AFlushWithoutRoomLeavesTheFileAlone)
{
  this->Options.Files.OnFlush = true;
  this->Options.MemoryPerHost = 256 << 10;
  const std::string live = this->Name("run.h5");
  this->Couple(
    [&]
    {
      GrowingFile file(live, this->Live, this->Part);
      const hsize_t row = Each * sizeof(int) * static_cast<hsize_t>(this->Part.Size);
      const auto hosts = static_cast<hsize_t>(this->World.Size - this->Part.Size);
      while ((file.Rows + 4) * row < hosts * (UINT64_C(192) << 10))
      {
        file.Grow();
      }
      EXPECT_GE(file.Flush(), 0);
      this->World.Barrier();
      this->World.Barrier(); // it is open there
      file.Rewrite(1);
      this->World.Barrier();
      this->World.Barrier(); // and could not be read any more
      EXPECT_GE(file.Flush(), 0);
      const hsize_t rows = file.Rows;
      EXPECT_GE(file.Close(), 0);
      EXPECT_EQ(rows, this->RowsIn(live, 1));
    },
    [&](LocalServer& server)
    {
      this->World.Barrier();
      auto view = std::make_unique<SnapshotView>(server.GetConnection(), SnapshotId(1));
      std::byte first{};
      view->Read(0, &first, 1);
      this->World.Barrier();
      this->World.Barrier();
      std::string told;
      try
      {
        view->Read(0, &first, 1);
      }
      catch (const Error& error)
      {
        told = error.what();
      }
      EXPECT_NE(std::string::npos, told.find("has left the DSM server's ring")) << told;
      EXPECT_NE(std::string::npos, told.find("was changed further")) << told;
      view.reset();
      this->World.Barrier();
      EXPECT_EQ(1u, this->SaveAll(server).size());
      if (this->Part.Rank == 0)
      {
        EXPECT_NE(std::string::npos, server.Status().LastError.find("a flush of"))
          << server.Status().LastError;
      }
    });
}

// Lock-step: with room for one snapshot, a flush waits until that was read.
TEST_F(FilePolicy, AFlushWaitsForItsReader)
{
  this->Options.Files.OnFlush = true;
  this->Options.MaximumSnapshots = 1;
  this->Options.WhenFull = FullRing::Block;
  this->Options.FullRingLimit = Seconds(0.5);
  const std::string live = this->Name("run.h5");
  this->Couple(
    [&]
    {
      GrowingFile file(live, this->Live, this->Part);
      file.Grow();
      ASSERT_GE(file.Flush(), 0);
      this->World.Barrier();
      this->World.Barrier(); // it was read
      file.Grow();
      EXPECT_GE(file.Flush(), 0);
      file.Grow();
      herr_t answer = 0;
      H5E_BEGIN_TRY
      {
        answer = file.Flush();
      }
      H5E_END_TRY
      EXPECT_LT(answer, 0) << "nobody has read the last flush";
      this->World.Barrier();
      EXPECT_GE(file.Close(), 0);
      EXPECT_EQ(3u, this->RowsIn(live));
    },
    [&](LocalServer& server)
    {
      this->World.Barrier();
      const auto first = this->Next(server, 0);
      ASSERT_TRUE(first);
      server.Release(first->Number);
      this->World.Barrier();
      this->World.Barrier(); // only now somebody reads
      const auto all = this->SaveAll(server);
      ASSERT_EQ(2u, all.size());
    });
}

TEST_F(FilePolicy, TheServersPatternSendsOtherFilesToDisk)
{
  this->Options.Files.Match = "*.vtkhdf:field*";
  this->Couple(
    [&]
    {
      const auto write = [&](const char* name)
      {
        GrowingFile file(this->Name(name), this->Live, this->Part);
        EXPECT_GE(file.File, 0);
        file.Grow();
        EXPECT_GE(file.Close(), 0);
        EXPECT_EQ(1u, this->RowsIn(this->Name(name)));
        this->Part.Barrier();
        return OnDisk(this->Name(name));
      };
      EXPECT_TRUE(write("restart.h5"));
      EXPECT_FALSE(write("field.h5"));
      EXPECT_FALSE(write("mesh.vtkhdf"));
      setenv("DSM_MATCH", "restart*", 1);
      EXPECT_FALSE(write("restart2.h5"));
      unsetenv("DSM_MATCH");
      this->World.Barrier();
      this->World.Barrier();
      this->Hear();
      EXPECT_TRUE(write("field3.h5"));
      EXPECT_FALSE(write("anything.h5"));
    },
    [&](LocalServer& server)
    {
      this->World.Barrier();
      server.SetFilePolicy({ "any*", false });
      this->World.Barrier();
      EXPECT_EQ(4u, this->SaveAll(server).size());
    });
}

}
