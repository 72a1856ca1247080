// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Hdf5Patterns.h"
#include "TestRanks.h"

#include "Archive/SaveSnapshot.h"
#include "Attach/LocalServer.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Driver/H5FDdsm.h"
#include "Driver/Placeholder.h"
#include "Mpi/Agreement.h"
#include "Peer/Connections.h"
#include "Peer/SnapshotView.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

namespace drivertests
{

using namespace dsm;
using patterns::Layout;
using patterns::Team;

/// All descriptions on HDF5's error stack.
inline std::string Reasons()
{
  std::string reasons;
  H5Ewalk2(
    H5E_DEFAULT, H5E_WALK_UPWARD,
    [](unsigned, const H5E_error2_t* error, void* text) -> herr_t
    {
      *static_cast<std::string*>(text) += std::string(error->desc) + "\n";
      return 0;
    },
    &reasons);
  return reasons;
}

/// The job split into hosts (the first ranks) and writers (the others), which meet over control
/// channel and shared memory only. Each test starts and ends a server.
class Driver : public testing::Test
{
protected:
  void SetUp() override
  {
    const auto arguments = testing::internal::GetArgvs();
    ASSERT_EQ(2u, arguments.size()) << "usage: dsmDriverTests HOSTS";
    this->World = Team::Of(testranks::Comm());
    const int hosts = std::atoi(arguments[1].c_str());
    ASSERT_LT(hosts, this->World.Size);
    this->IsHost = this->World.Rank < hosts;
    MPI_Comm_split(testranks::Comm(), this->IsHost ? 0 : 1, this->World.Rank, &this->PartComm);
    this->Part = Team::Of(this->PartComm);
    char name[] = "/tmp/dsm-driver-XXXXXX";
    if (this->World.Rank == 0)
    {
      ASSERT_NE(nullptr, mkdtemp(name));
    }
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, testranks::Comm());
    this->Folder = name;
    this->Contact = this->Folder + "/run.dsm";
    this->Options.ContactFile = this->Contact;
    this->Options.MemoryPerHost = 8 << 20;
    this->Options.Map.BlockSize = 4096;
    this->Options.FullRingLimit = Seconds(2);

    this->Stock = H5Pcreate(H5P_FILE_ACCESS);
    this->Live = H5Pcreate(H5P_FILE_ACCESS);
    ASSERT_GE(H5Pset_fapl_mpio(this->Stock, this->PartComm, MPI_INFO_NULL), 0);
    ASSERT_GE(H5Pset_fapl_dsm(this->Live, this->PartComm, MPI_INFO_NULL, this->Contact.c_str()), 0);
  }

  void TearDown() override
  {
    H5Pclose(this->Stock);
    H5Pclose(this->Live);
    connections::Clear();
    this->World.Barrier();
    if (this->World.Rank == 0)
    {
      std::filesystem::remove_all(this->Folder);
    }
    MPI_Comm_free(&this->PartComm);
  }

  // Runs the two sides together, from a started server to a stopped one.
  void Couple(const std::function<void()>& writer, const std::function<void(LocalServer&)>& host)
  {
    std::unique_ptr<LocalServer> server;
    std::unique_ptr<Communicator> hosts;
    if (this->IsHost)
    {
      hosts = std::make_unique<Communicator>(Communicator::Duplicate(this->PartComm));
      server = std::make_unique<LocalServer>(*hosts, this->Options);
      connections::Add(server->GetConnection());
    }
    this->World.Barrier();
    if (this->IsHost)
    {
      host(*server);
    }
    else
    {
      writer();
      connections::Clear(); // the simulation ends
    }
    this->World.Barrier();
    if (server)
    {
      connections::Clear();
      server->Stop();
    }
  }

  std::string Name(const std::string& file) const { return this->Folder + "/" + file; }

  // On all hosts: the next snapshot after a number, none when the writers have gone.
  std::optional<SnapshotDescription> Next(LocalServer& server, std::uint64_t after)
  {
    const Communicator hosts = Communicator::Duplicate(this->PartComm);
    return RunOnRankZero(hosts,
      [&] { return server.WaitForSnapshot(SnapshotId(after), true, Deadline(Seconds(40))); });
  }

  // Saves all snapshots that come as "NUMBER.h5", until the writers have gone.
  // Of snapshots in several files, each of these; their names are known on rank 0.
  std::vector<SnapshotDescription> SaveAll(LocalServer& server)
  {
    std::vector<SnapshotDescription> all;
    SnapshotId last = 0;
    for (auto next = this->Next(server, 0); next; next = this->Next(server, last))
    {
      last = next->Number;
      const auto parts = next->Parts.empty() ? std::vector{ last } : next->Parts;
      for (const SnapshotId number : parts)
      {
        all.push_back(*next);
        if (this->Part.Rank == 0)
        {
          const SnapshotView view(server.GetConnection(), number);
          SaveSnapshot(view, this->Saved(number));
          all.back() = view.Description();
        }
      }
      if (this->Part.Rank == 0)
      {
        server.Release(last);
      }
    }
    this->Part.Barrier();
    return all;
  }

  std::string Saved(std::uint64_t number) const
  {
    return this->Name("saved" + std::to_string(number) + ".h5");
  }

  // Writers write, check and append, in memory and on disk; hosts compare.
  // Whether a file is on disk itself, and not only its name.
  static bool OnDisk(const std::string& name)
  {
    return std::filesystem::exists(name) && !Placeholder::Read(name);
  }

  void CompareWithDisk(const Layout& layout)
  {
    const std::string live = this->Name("out.0001.h5");
    this->Couple(
      [&]
      {
        patterns::Write(this->Name("disk1.h5"), this->Stock, this->Part, layout);
        patterns::Write(live, this->Live, this->Part, layout);
        patterns::Check(live, this->Live, this->Part, layout);
        std::filesystem::copy_options replace = std::filesystem::copy_options::overwrite_existing;
        this->Part.Barrier();
        if (this->Part.Rank == 0)
        {
          std::filesystem::copy_file(this->Name("disk1.h5"), this->Name("disk2.h5"), replace);
        }
        this->Part.Barrier();
        patterns::Append(this->Name("disk2.h5"), this->Stock, this->Part, layout);
        patterns::Append(live, this->Live, this->Part, layout);
        patterns::Check(live, this->Live, this->Part, layout, true);
        // Programs write a user block without HDF5, so such a file is on disk and is appended
        // there.
        EXPECT_EQ(layout.UserBlock > 0, OnDisk(live));
      },
      [&](LocalServer& server)
      {
        // The first may have been opened again before anybody was told of it; it is still there.
        const auto snapshots = this->SaveAll(server);
        ASSERT_FALSE(snapshots.empty());
        EXPECT_EQ(layout.UserBlock > 0 ? 1u : 2u, snapshots.back().Number);
        EXPECT_EQ(live, snapshots.back().FileName);
        EXPECT_EQ(1, snapshots.back().Step);
        if (this->Part.Rank == 0)
        {
          SaveSnapshot(SnapshotView(server.GetConnection(), 1), this->Saved(1));
          for (const int number : { 1, 2 })
          {
            const std::string disk = this->Name("disk" + std::to_string(number) + ".h5");
            const std::string saved = number == 2 && layout.UserBlock > 0
              ? live
              : this->Saved(static_cast<std::uint64_t>(number));
            EXPECT_TRUE(patterns::Bytes(disk) == patterns::Bytes(saved)) << "snapshot " << number;
            EXPECT_TRUE(patterns::SameContents(disk, saved)) << "snapshot " << number;
          }
        }
      });
  }

  Team World;
  Team Part;
  MPI_Comm PartComm = MPI_COMM_NULL;
  bool IsHost = false;
  std::string Folder;
  std::string Contact;
  ServerOptions Options;
  hid_t Stock = H5I_INVALID_HID;
  hid_t Live = H5I_INVALID_HID;
};

}
