// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Attach/LocalServer.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Mpi/Agreement.h"
#include "Peer/Connections.h"
#include "Peer/SnapshotView.h"
#include "Peer/WritableImage.h"
#include "Protocol/SnapshotMessages.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <list>
#include <random>
#include <thread>
#include <vector>

namespace sessiontests
{

using namespace dsm;

constexpr std::uint64_t KiB = 1024;

/// The byte every test expects at an address of a file.
inline std::byte ByteAt(std::uint64_t address, std::uint64_t file)
{
  return static_cast<std::byte>((address * 2654435761U + file * 40503U) >> 11);
}

/// The job split into hosts (the first ranks) and writers (the others).
class Session : public testing::Test
{
protected:
  void SetUp() override
  {
    const auto arguments = testing::internal::GetArgvs();
    ASSERT_GE(arguments.size(), 2u) << "usage: dsmSessionTests HOSTS";
    this->World = std::make_unique<Communicator>(Communicator::Duplicate(MPI_COMM_WORLD));
    const int hosts = std::atoi(arguments[1].c_str());
    ASSERT_LT(hosts, this->World->Size());
    this->IsHost = this->World->Rank() < hosts;
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, this->IsHost ? 0 : 1, this->World->Rank(), &part);
    this->Part = std::make_unique<Communicator>(Communicator::Duplicate(part));
    MPI_Comm_free(&part);
    auto folder = std::filesystem::temp_directory_path() / "dsm-session-XXXXXX";
    std::string name = folder.string();
    if (this->World->Rank() == 0)
    {
      ASSERT_NE(mkdtemp(name.data()), nullptr);
    }
    this->Folder = this->World->BroadcastText(name);
    this->Options.ContactFile = this->Folder + "/run.dsm";
    this->Options.MemoryPerHost = 1024 * KiB;
    this->Options.Map.BlockSize = 10 * KiB;
    this->Options.FullRingLimit = Seconds(20);
  }

  void TearDown() override
  {
    connections::Clear();
    this->World->Barrier();
    if (this->World->Rank() == 0)
    {
      std::filesystem::remove_all(this->Folder);
    }
  }

  // Runs the two sides together, from a started server to a stopped one.
  void Couple(const std::function<void(LocalServer&)>& host, const std::function<void()>& writer)
  {
    std::unique_ptr<LocalServer> server;
    if (this->IsHost)
    {
      server = std::make_unique<LocalServer>(*this->Part, this->Options);
    }
    this->World->Barrier();
    if (this->IsHost)
    {
      host(*server);
    }
    else
    {
      writer();
      connections::Clear(); // the simulation ends
    }
    this->World->Barrier();
    if (server)
    {
      server->Stop();
    }
  }

  std::shared_ptr<Connection> Connect() const
  {
    return this->Part->Rank() == 0
      ? connections::Get(this->Options.ContactFile, "writer",
          static_cast<std::uint64_t>(this->Part->Size()), Deadline(Seconds(20)))
      : nullptr;
  }

  std::unique_ptr<WritableImage> Begin(const std::string& name, std::uint64_t copyOf = 0) const
  {
    return WritableImage::Begin(*this->Part, this->Connect(), name, SnapshotId(copyOf));
  }

  // Each rank writes every n-th piece of random size; together they cover the file.
  void Fill(WritableImage& image, std::uint64_t size, std::uint64_t file) const
  {
    std::mt19937_64 random(file);
    std::list<std::vector<std::byte>> pieces; // stay as they are until the flush
    int turn = 0;
    for (std::uint64_t address = 0; address < size;)
    {
      const std::uint64_t length =
        std::min<std::uint64_t>(1 + random() % (37 * KiB), size - address);
      if (turn++ % this->Part->Size() == this->Part->Rank())
      {
        auto& piece = pieces.emplace_back(length);
        for (std::uint64_t i = 0; i < length; ++i)
        {
          piece[i] = ByteAt(address + i, file);
        }
        image.Write(FileOffset(address), piece.data(), length);
      }
      address += length;
    }
    image.Flush();
  }

  SnapshotId Write(const std::string& name, std::uint64_t size, std::uint64_t file) const
  {
    auto image = this->Begin(name);
    this->Fill(*image, size, file);
    return image->Seal(size, {});
  }

  static void ExpectContents(const SnapshotView& view, std::uint64_t size, std::uint64_t file)
  {
    ASSERT_EQ(view.Description().FileSize, size);
    std::vector<std::byte> bytes(size + 100, std::byte(0xff));
    view.Read(0, bytes.data(), bytes.size());
    std::uint64_t wrong = 0;
    for (std::uint64_t address = 0; address < size; ++address)
    {
      wrong += bytes[address] != ByteAt(address, file);
    }
    EXPECT_EQ(wrong, 0u) << "of " << size << " bytes of snapshot " << view.Description().Number;
    for (std::uint64_t address = size; address < bytes.size(); ++address)
    {
      EXPECT_EQ(bytes[address], std::byte(0)) << "past the end";
    }
  }

  // Rank 0 of the hosts waits; all hosts learn which snapshot it is.
  std::optional<SnapshotDescription> Wait(
    LocalServer& server, std::uint64_t after, bool next = true) const
  {
    return RunOnRankZero(*this->Part,
      [&] { return server.WaitForSnapshot(SnapshotId(after), next, Deadline(Seconds(30))); });
  }

  // A server's status when viewers have been told of all snapshots (Server/Core/Announcements).
  static ServerStatus StatusWithAll(const LocalServer& server)
  {
    const Deadline deadline(Seconds(20));
    ServerStatus status = server.Status();
    while ((status.Snapshots.empty() || status.Snapshots.back().Number < status.SnapshotsSealed) &&
      !deadline.Expired())
    {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      status = server.Status();
    }
    return status;
  }

  // When it returns, the server has heard all that this host has told it, that it has closed a view
  // above all: a connection's messages keep their order.
  static void Settle(const LocalServer& server)
  {
    server.GetConnection()->Request(ListSnapshots());
  }

  ServerOptions Options;
  std::unique_ptr<Communicator> World, Part;
  std::string Folder;
  bool IsHost = false;
};

}
