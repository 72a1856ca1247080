// SPDX-License-Identifier: BSD-3-Clause
// Snapshots that all hosts write to disk together, whatever the strategy.
#include "SessionFixture.h"

#include "Archive/SnapshotWriter.h"
#include "Peer/Peek.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <fstream>
#include <numeric>

namespace
{

using namespace sessiontests;
namespace fs = std::filesystem;

class Archive : public Session
{
protected:
  void SetUp() override
  {
    Session::SetUp();
    this->Options.MemoryPerHost = KiB * 16 * 1024;
  }

  // Rank 0 of the hosts does something with a snapshot of `size` bytes.
  void WithSnapshot(
    std::uint64_t size, const std::function<void(LocalServer&, const SnapshotView&)>& work)
  {
    this->Couple(
      [&](LocalServer& server)
      {
        const auto snapshot = this->Wait(server, 0);
        ASSERT_TRUE(snapshot);
        if (this->Part->Rank() == 0)
        {
          const Peek peek;
          work(server, SnapshotView(server.GetConnection(), snapshot->Number));
        }
      },
      [&] { this->Write("/sim/x.h5", size, 4); });
  }

  static std::string Contents(const fs::path& path)
  {
    std::ifstream file(path, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(file)), {});
  }

  static void ExpectFile(const fs::path& path, std::uint64_t size)
  {
    const std::string bytes = Contents(path);
    ASSERT_EQ(bytes.size(), size) << path;
    std::uint64_t wrong = 0;
    for (std::uint64_t address = 0; address < size; ++address)
    {
      wrong += static_cast<std::byte>(bytes[address]) != ByteAt(address, 4);
    }
    EXPECT_EQ(wrong, 0U) << path;
  }

  static FileOnDisk Existing(const std::string& path)
  {
    struct stat status = {};
    EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
    return { path, std::uint64_t{ status.st_ino } };
  }

  std::vector<std::string> FilesThere() const
  {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(this->Folder))
    {
      const std::string name = entry.path().filename();
      if (!name.starts_with("run.dsm"))
      {
        names.push_back(name);
      }
    }
    return names;
  }
};

TEST_F(Archive, AllHostsWriteWhatTheyHave)
{
  std::vector<Redistribution> choices{ { "block cyclic", 3001, 5 },
    { "random block", 2047, 7, 1 } };
  for (const StrategyKind& kind : Strategies())
  {
    choices.push_back({ kind.Name, 64 * KiB, 0, 2011 });
  }
  const std::uint64_t size = KiB * 3 * 1024 + 1234;
  this->Options.ExpectedFileSize = size;
  for (const Redistribution& choice : choices)
  {
    this->Options.Map = choice;
    this->WithSnapshot(size,
      [&](LocalServer& server, const SnapshotView& view)
      {
        const std::string path = this->Folder + "/saved.h5";
        std::ofstream(path) << "what was there before";
        NewFile file(path);
        std::uint64_t told = 0;
        SnapshotWriter(&server).Write(view, file, [&](std::uint64_t bytes) { told += bytes; });
        EXPECT_EQ(told, size);
        EXPECT_EQ(Contents(path), "what was there before");
        file.Finish();
        ExpectFile(path, size);
        // The same by hosts alone, each into a file of its own and none into another's.
        std::ofstream(this->Folder + "/hosts.h5").flush();
        WriteShare share;
        share.Snapshot = view.Description();
        share.End = share.Snapshot.FileSize;
        share.Files = { Existing(this->Folder + "/hosts.h5") };
        told = 0;
        server.Archive().WriteByHosts(share, [&](std::uint64_t bytes) { told += bytes; });
        EXPECT_EQ(told, size);
        ExpectFile(this->Folder + "/hosts.h5", size);
      });
  }
}

TEST_F(Archive, SmallAndSeveralAtATime)
{
  for (const std::uint64_t size : { std::uint64_t{ 1 }, 100 * KiB, 1024 * KiB, 1024 * KiB + 1 })
  {
    this->WithSnapshot(size,
      [&](LocalServer& server, const SnapshotView& view)
      {
        SnapshotWriter writer(&server);
        writer.Save(server.GetConnection(), view.Description(), this->Folder + "/saved.h5");
        ExpectFile(this->Folder + "/saved.h5", size);
        // Nothing but the file is left; two threads may write at a time.
        const auto save = [&](const std::string& name)
        {
          const SnapshotView own(server.GetConnection(), view.Description().Number);
          NewFile file(this->Folder + "/" + name);
          SnapshotWriter(&server).Write(own, file);
          file.Finish();
        };
        std::thread other([&] { save("other.h5"); });
        save("one.h5");
        other.join();
        ExpectFile(this->Folder + "/one.h5", size);
        ExpectFile(this->Folder + "/other.h5", size);
        EXPECT_EQ(this->FilesThere().size(), 3U);
      });
  }
}

// Where host 0 cannot read the others' memory itself, as where hosts are reached over MPI alone:
// the hosts write what a flush has shown as well, though the simulation changes it meanwhile.
TEST_F(Archive, HostsFollowWhatASimulationChanges)
{
  const std::uint64_t size = KiB * 2 * 1024 + 77;
  this->Couple(
    [&](LocalServer& server)
    {
      const auto snapshot = this->Wait(server, 0);
      ASSERT_TRUE(snapshot);
      std::unique_ptr<SnapshotView> view;
      if (this->Part->Rank() == 0)
      {
        setenv("DSM_NODE_MEMORY", "off", 1);
        setenv("DSM_TRANSPORT", "mpi-messages", 1);
        const Peek peek;
        view = std::make_unique<SnapshotView>(
          Connection::Open(this->Options.ContactFile, "viewer", 1, Deadline(Seconds(20))),
          snapshot->Number);
        EXPECT_FALSE(view->IsInReach());
        EXPECT_TRUE(view->Description().Shared);
      }
      this->World->Barrier(); // it is opened
      this->World->Barrier(); // it is changed
      if (view)
      {
        const std::string path = this->Folder + "/saved.h5";
        WriteShare share;
        share.Snapshot = view->Description();
        share.End = size;
        std::ofstream(this->Folder + "/old.h5").flush();
        share.Files = { Existing(this->Folder + "/old.h5") };
        EXPECT_FALSE(server.Archive().WriteByHosts(share, [](std::uint64_t) {})) << "it has moved";
        NewFile file(path);
        SnapshotWriter(&server).Write(*view, file);
        file.Finish();
        ExpectFile(path, size);
        view.reset();
        unsetenv("DSM_NODE_MEMORY");
        unsetenv("DSM_TRANSPORT");
      }
      this->World->Barrier();
    },
    [&]
    {
      const auto image = this->Begin("/sim/x.h5");
      this->Fill(*image, size, 4);
      EXPECT_EQ(image->Publish(size, {}), "");
      this->World->Barrier();
      this->Fill(*image, size, 9);
      this->World->Barrier();
      this->World->Barrier();
      image->Seal(size, {});
    });
}

TEST_F(Archive, AHostThatCannotWriteFailsIt)
{
  this->WithSnapshot(2048 * KiB,
    [&](LocalServer& server, const SnapshotView& view)
    {
      WriteShare share;
      share.Snapshot = view.Description();
      share.End = share.Snapshot.FileSize;
      share.Files = { Existing("/dev/full") };
      try
      {
        server.Archive().WriteByHosts(share, [](std::uint64_t) {});
        FAIL() << "there is no room";
      }
      catch (const Error& error)
      {
        EXPECT_EQ(error.GetFault(), Fault::System);
        EXPECT_NE(std::string(error.what()).find("No space left"), std::string::npos)
          << error.what();
      }
      // A file that is not there is another matter: then one process alone may write.
      share.Files = { { this->Folder + "/elsewhere", 1 } };
      try
      {
        server.Archive().WriteByHosts(share, [](std::uint64_t) {});
        FAIL() << "there is no file";
      }
      catch (const Error& error)
      {
        EXPECT_EQ(error.GetFault(), Fault::Unsupported) << error.what();
      }
    });
}

TEST_F(Archive, WhatIsGivenUpLeavesTheOldFile)
{
  this->WithSnapshot(2048 * KiB,
    [&](LocalServer& server, const SnapshotView& view)
    {
      const std::string path = this->Folder + "/saved.h5";
      std::ofstream(path) << "old";
      {
        NewFile file(path);
        EXPECT_THROW(SnapshotWriter(&server).Write(
                       view, file, [](std::uint64_t) { throw std::runtime_error("enough"); }),
          std::runtime_error);
      }
      EXPECT_EQ(Contents(path), "old");
      EXPECT_EQ(this->FilesThere(), std::vector<std::string>{ "saved.h5" });
      // And the hosts go on.
      SnapshotWriter(&server).Save(server.GetConnection(), view.Description(), path);
      ExpectFile(path, 2048 * KiB);
    });
}

}
