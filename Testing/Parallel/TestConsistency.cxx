// SPDX-License-Identifier: BSD-3-Clause
// What another rank, another program and a reader see, and when: the table "Consistency" of
// DSMCore/Driver/README.md has these tests' names. Over each transport.
//
// Usage: dsmSemanticsTests HOSTS
#include "TransportFixture.h"

#include <algorithm>
#include <optional>

namespace
{

using namespace drivertests;

/// The dataset "rows" of whole numbers, a row for each writer.
class Rows
{
public:
  static constexpr hsize_t Columns = 3000;

  /// Of `rows` rows where it is made; else the file has it.
  explicit Rows(hid_t file, hsize_t rows = 0)
  {
    if (rows > 0)
    {
      const hsize_t size[] = { rows, Columns };
      const hid_t space = H5Screate_simple(2, size, nullptr);
      this->Set =
        H5Dcreate2(file, "rows", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      H5Sclose(space);
    }
    else
    {
      this->Set = H5Dopen2(file, "rows", H5P_DEFAULT);
    }
    EXPECT_GE(this->Set, 0);
  }
  ~Rows() { H5Dclose(this->Set); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  /// Writes one row, or all of them where none is named, with the same number everywhere.
  void Write(int value, std::optional<int> row, bool collective = false) const
  {
    const std::vector<int> values(this->Count(row), value);
    this->Transfer(row, collective, [&](hid_t memory, hid_t file, hid_t dxpl)
      { EXPECT_GE(H5Dwrite(this->Set, H5T_NATIVE_INT, memory, file, dxpl, values.data()), 0); });
  }

  /// The number that is everywhere in a row, or in all; none where there are several.
  std::optional<int> Read(std::optional<int> row) const
  {
    std::vector<int> values(this->Count(row), -1);
    this->Transfer(row, false, [&](hid_t memory, hid_t file, hid_t dxpl)
      { EXPECT_GE(H5Dread(this->Set, H5T_NATIVE_INT, memory, file, dxpl, values.data()), 0); });
    const bool same =
      std::all_of(values.begin(), values.end(), [&](int value) { return value == values.front(); });
    return same ? std::optional(values.front()) : std::nullopt;
  }

private:
  hsize_t RowCount() const
  {
    const hid_t space = H5Dget_space(this->Set);
    hsize_t size[2] = { 0, 0 };
    H5Sget_simple_extent_dims(space, size, nullptr);
    H5Sclose(space);
    return size[0];
  }

  hsize_t Count(std::optional<int> row) const { return (row ? 1 : this->RowCount()) * Columns; }

  template <typename Work>
  void Transfer(std::optional<int> row, bool collective, const Work& work) const
  {
    const hid_t file = H5Dget_space(this->Set);
    const hsize_t start[] = { row ? static_cast<hsize_t>(*row) : 0, 0 };
    const hsize_t count[] = { row ? 1 : this->RowCount(), Columns };
    H5Sselect_hyperslab(file, H5S_SELECT_SET, start, nullptr, count, nullptr);
    const hid_t memory = H5Screate_simple(2, count, nullptr);
    const hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
    if (collective)
    {
      H5Pset_dxpl_mpio(dxpl, H5FD_MPIO_COLLECTIVE);
    }
    work(memory, file, dxpl);
    H5Pclose(dxpl);
    H5Sclose(memory);
    H5Sclose(file);
  }

  hid_t Set = H5I_INVALID_HID;
};

class Consistency : public AnyTransport
{
protected:
  hid_t Create(const std::string& name) const
  {
    const hid_t file = H5Fcreate(this->Name(name).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, this->Live);
    EXPECT_GE(file, 0);
    return file;
  }

  // What a program besides the writers finds in the first row under a name; none where it finds no
  // file. On one host: a process with a connection of its own, by the default access list.
  std::optional<int> Seen(const std::string& name) const
  {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_dsm(access, MPI_COMM_NULL, MPI_INFO_NULL, this->Contact.c_str());
    hid_t file = H5I_INVALID_HID;
    H5E_BEGIN_TRY
    {
      file = H5Fopen(name.c_str(), H5F_ACC_RDONLY, access);
    }
    H5E_END_TRY
    H5Pclose(access);
    std::optional<int> seen;
    if (file >= 0)
    {
      seen = Rows(file).Read(0);
      EXPECT_GE(H5Fclose(file), 0);
    }
    return seen;
  }

  hsize_t Writers() const
  {
    return static_cast<hsize_t>(
      this->IsHost ? this->World.Size - this->Part.Size : this->Part.Size);
  }

  /// Behind `work` of the writers, `look` on host 0, and all meet before and after.
  template <typename Work>
  void WritersOnly(const Work& work)
  {
    work();
    this->World.Barrier();
    this->World.Barrier();
  }
  template <typename Look>
  void HostLooks(const Look& look)
  {
    this->World.Barrier();
    if (this->Part.Rank == 0)
    {
      look();
    }
    this->World.Barrier();
  }
};

TEST_P(Consistency, ARankSeesWhatItHasWritten)
{
  this->Couple(
    [&]
    {
      const hid_t file = this->Create("own.h5");
      {
        const Rows rows(file, this->Writers());
        for (int turn = 1; turn <= 3; ++turn)
        {
          rows.Write(turn * 100 + this->Part.Rank, this->Part.Rank);
          EXPECT_EQ(turn * 100 + this->Part.Rank, rows.Read(this->Part.Rank));
        }
      }
      EXPECT_GE(H5Fclose(file), 0);
    },
    [&](LocalServer& server) { this->SaveAll(server); });
}

// MPI-IO asks for a sync, a barrier and a sync here.
TEST_P(Consistency, OtherRanksSeeAWriteThatHasReturned)
{
  this->Couple(
    [&]
    {
      const hid_t file = this->Create("others.h5");
      {
        const Rows rows(file, this->Writers());
        for (int turn = 1; turn <= 5; ++turn)
        {
          const int writer = turn % this->Part.Size;
          if (this->Part.Rank == writer)
          {
            rows.Write(turn, std::nullopt);
          }
          this->Part.Barrier();
          EXPECT_EQ(turn, rows.Read(std::nullopt));
          this->Part.Barrier();
        }
      }
      EXPECT_GE(H5Fclose(file), 0);
    },
    [&](LocalServer& server) { this->SaveAll(server); });
}

TEST_P(Consistency, OtherRanksSeeBehindSyncBarrierSync)
{
  this->Couple(
    [&]
    {
      const hid_t file = this->Create("sync.h5");
      {
        const Rows rows(file, this->Writers());
        rows.Write(10 + this->Part.Rank, this->Part.Rank);
        EXPECT_GE(H5Fflush(file, H5F_SCOPE_LOCAL), 0);
        this->Part.Barrier();
        EXPECT_GE(H5Fflush(file, H5F_SCOPE_LOCAL), 0);
        for (int row = 0; row < this->Part.Size; ++row)
        {
          EXPECT_EQ(10 + row, rows.Read(row));
        }
      }
      EXPECT_GE(H5Fclose(file), 0);
    },
    [&](LocalServer& server) { this->SaveAll(server); });
}

TEST_P(Consistency, AllRanksSeeACollectiveWriteThatHasReturned)
{
  this->Couple(
    [&]
    {
      const hid_t file = this->Create("collective.h5");
      {
        const Rows rows(file, this->Writers());
        for (int turn = 1; turn <= 5; ++turn)
        {
          rows.Write(100 * turn + this->Part.Rank, this->Part.Rank, true);
          for (int row = 0; row < this->Part.Size; ++row)
          {
            EXPECT_EQ(100 * turn + row, rows.Read(row));
          }
          this->Part.Barrier(); // before somebody writes again
        }
      }
      EXPECT_GE(H5Fclose(file), 0);
    },
    [&](LocalServer& server) { this->SaveAll(server); });
}

// In atomic mode, whoever reads while another writes has all of it or nothing.
TEST_P(Consistency, AtomicWritesAreSeenWholeOrNotAtAll)
{
  this->Couple(
    [&]
    {
      const hid_t file = this->Create("atomic.h5");
      hbool_t on = true;
      EXPECT_GE(H5Fget_dsm_atomicity(file, &on), 0);
      EXPECT_FALSE(on);
      EXPECT_GE(H5Fset_dsm_atomicity(file, true), 0);
      EXPECT_GE(H5Fget_dsm_atomicity(file, &on), 0);
      EXPECT_TRUE(on);
      {
        const Rows rows(file, 20); // in both hosts' memory, where there are two
        if (this->Part.Rank == 0)
        {
          rows.Write(0, std::nullopt);
        }
        this->Part.Barrier();
        int last = 0;
        for (int turn = 1; turn <= 20; ++turn)
        {
          if (this->Part.Rank == 0)
          {
            rows.Write(turn, std::nullopt);
          }
          else
          {
            const auto seen = rows.Read(std::nullopt);
            EXPECT_TRUE(seen) << "torn in turn " << turn;
            EXPECT_GE(seen.value_or(last), last) << "older than what was there";
            last = seen.value_or(last);
          }
        }
        // Together with collective transfers.
        rows.Write(77, this->Part.Rank, true);
        EXPECT_EQ(77, rows.Read(this->Part.Rank));
      }
      EXPECT_GE(H5Fset_dsm_atomicity(file, false), 0);
      EXPECT_GE(H5Fset_dsm_atomicity(file, true), 0);
      EXPECT_GE(H5Fclose(file), 0);
      // What never changes is atomic.
      const hid_t snapshot = H5Fopen(this->Name("atomic.h5").c_str(), H5F_ACC_RDONLY, this->Live);
      EXPECT_GE(H5Fset_dsm_atomicity(snapshot, true), 0);
      EXPECT_GE(H5Fclose(snapshot), 0);
    },
    [&](LocalServer& server) { this->SaveAll(server); });
}

// A file that is being written is its ranks' own, however often they flush it.
TEST_P(Consistency, OthersSeeNothingBeforeTheClose)
{
  const std::string name = this->Name("close.h5");
  this->Couple(
    [&]
    {
      const hid_t file = this->Create("close.h5");
      {
        const Rows rows(file, this->Writers());
        rows.Write(5, this->Part.Rank, true);
        EXPECT_GE(H5Fflush(file, H5F_SCOPE_GLOBAL), 0);
        this->WritersOnly([] {});
      }
      this->WritersOnly([&] { EXPECT_GE(H5Fclose(file), 0); });
    },
    [&](LocalServer& server)
    {
      this->HostLooks(
        [&]
        {
          EXPECT_EQ(std::nullopt, this->Seen(name));
          EXPECT_FALSE(server.WaitForSnapshot(0, true, Deadline(Seconds(0))));
        });
      this->HostLooks([&] { EXPECT_EQ(5, this->Seen(name)); });
      this->SaveAll(server);
    });
}

// Where flushes are shown, each is a state of its own: what is written behind it is not in it.
TEST_P(Consistency, OthersSeeAFlushThatIsShown)
{
  this->Options.Files.OnFlush = true;
  const std::string name = this->Name("flush.h5");
  this->Couple(
    [&]
    {
      const hid_t file = this->Create("flush.h5");
      {
        const Rows rows(file, this->Writers());
        rows.Write(1, this->Part.Rank, true);
        this->WritersOnly([] {});
        EXPECT_GE(H5Fflush(file, H5F_SCOPE_GLOBAL), 0);
        this->WritersOnly([&] { rows.Write(2, this->Part.Rank, true); });
      }
      this->WritersOnly([&] { EXPECT_GE(H5Fclose(file), 0); });
    },
    [&](LocalServer& server)
    {
      this->HostLooks([&] { EXPECT_EQ(std::nullopt, this->Seen(name)); });
      this->HostLooks([&] { EXPECT_EQ(1, this->Seen(name)); });
      this->HostLooks(
        [&]
        {
          EXPECT_EQ(2, this->Seen(name));
          EXPECT_EQ(1, this->Seen(SnapshotName(this->Contact, 1)));
        });
      this->SaveAll(server);
    });
}

// A snapshot that somebody has open stays as it is, whatever becomes of the file.
// Also where it is written further in its place.
TEST_P(Consistency, OthersSeeTheLastCloseWhileAFileIsWrittenFurther)
{
  const std::string name = this->Name("further.h5");
  constexpr int last = 4;
  this->Couple(
    [&]
    {
      {
        const hid_t file = this->Create("further.h5");
        Rows(file, this->Writers()).Write(1, this->Part.Rank, true);
        EXPECT_GE(H5Fclose(file), 0);
      }
      for (int value = 2; value <= last; ++value)
      {
        const hid_t again = H5Fopen(name.c_str(), H5F_ACC_RDWR, this->Live);
        ASSERT_GE(again, 0);
        Rows(again).Write(value, this->Part.Rank, true);
        EXPECT_GE(H5Fflush(again, H5F_SCOPE_GLOBAL), 0);
        EXPECT_EQ(value, Rows(again).Read(this->Part.Rank));
        this->World.Barrier();
        this->World.Barrier();
        EXPECT_GE(H5Fclose(again), 0);
        this->World.Barrier();
        this->World.Barrier();
      }
    },
    [&](LocalServer& server)
    {
      for (int value = 2; value <= last; ++value)
      {
        this->HostLooks([&] { EXPECT_EQ(value - 1, this->Seen(name)); });
        this->HostLooks([&] { EXPECT_EQ(value, this->Seen(name)); });
      }
      this->SaveAll(server);
    });
}

TEST_P(Consistency, AReaderKeepsWhatItHasOpened)
{
  const std::string name = this->Name("reader.h5");
  this->Couple(
    [&]
    {
      {
        const hid_t file = this->Create("reader.h5");
        Rows(file, this->Writers()).Write(1, this->Part.Rank, true);
        EXPECT_GE(H5Fclose(file), 0);
      }
      this->World.Barrier();
      this->World.Barrier(); // it has been opened
      const hid_t again = H5Fopen(name.c_str(), H5F_ACC_RDWR, this->Live);
      ASSERT_GE(again, 0);
      Rows(again).Write(2, this->Part.Rank, true);
      this->World.Barrier();
      this->World.Barrier(); // it has been read
      EXPECT_GE(H5Fclose(again), 0);
      this->World.Barrier();
      this->World.Barrier();
    },
    [&](LocalServer& server)
    {
      this->World.Barrier();
      hid_t file = H5I_INVALID_HID;
      if (this->Part.Rank == 0)
      {
        const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_fapl_dsm(access, MPI_COMM_NULL, MPI_INFO_NULL, this->Contact.c_str());
        file = H5Fopen(name.c_str(), H5F_ACC_RDONLY, access);
        EXPECT_GE(file, 0);
        H5Pclose(access);
      }
      this->World.Barrier();
      this->HostLooks([&] { EXPECT_EQ(1, Rows(file).Read(0)); });
      this->HostLooks(
        [&]
        {
          EXPECT_EQ(1, Rows(file).Read(0));
          EXPECT_GE(H5Fclose(file), 0);
          EXPECT_EQ(2, this->Seen(name));
        });
      this->SaveAll(server);
    });
}

INSTANTIATE_TEST_SUITE_P(All, Consistency,
  testing::ValuesIn(AllTransports("mpi-rma,mpi-messages:1KiB")),
  [](const auto& info) { return TestName(info.param); });

}
