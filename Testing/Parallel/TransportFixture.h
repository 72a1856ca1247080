// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "DriverFixture.h"

#include "Mpi/Communicator.h"
#include "Transport/ChooseTransport.h"

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace drivertests
{

inline std::vector<std::string> StrategyList()
{
  std::vector<std::string> names;
  for (const dsm::StrategyKind& kind : dsm::Strategies())
  {
    names.push_back(kind.Name);
  }
  return names;
}

/// Each by itself, and two by size.
inline std::vector<std::string> AllTransports(const std::string& bySize)
{
  std::vector<std::string> names = TransportNames();
  std::erase(names, "automatic");
  names.push_back(bySize);
  return names;
}

/// A transport as the name of a test.
inline std::string TestName(std::string transport)
{
  for (char& c : transport)
  {
    c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  }
  return transport;
}

/// One transport with every strategy: what arrives is byte for byte what MPI-IO writes to disk.
/// Hosts and writers are one MPI job, so that MPI joins them statically, or two that meet at a port
/// (TestRanks.h); shared memory is forbidden but where it is the transport, since all run on one
/// node.
///
/// With DSM_TRANSPORT_TABLE=FILE each result is added there as a line, for transport_table.py.
class AnyTransport
  : public Driver
  , public testing::WithParamInterface<std::string>
{
protected:
  void SetUp() override
  {
    Driver::SetUp();
    this->Options.Transport = TransportFromText(this->GetParam());
    this->Options.Transport.NodeMemory = this->Options.Transport.Heavy == "shared-memory";
  }

  /// On the last host: what else there is to see of what was written.
  virtual void Look(const SnapshotView& /*view*/) {}

  /// What MPI-IO writes; on the last host. Collective over all, once per process.
  const std::vector<char>& OnDisk(const std::function<void(const std::string&)>& write) const
  {
    static std::vector<char> bytes;
    static bool known = false;
    if (!std::exchange(known, true))
    {
      const std::string disk = this->Name("disk.h5");
      if (!this->IsHost)
      {
        write(disk);
      }
      this->World.Barrier();
      if (this->IsLastHost())
      {
        bytes = patterns::Bytes(disk);
      }
    }
    return bytes;
  }

  /// Has the writers write a file with each strategy, and compares it with the one on disk.
  void CompareAll(
    const std::vector<char>& onDisk, const std::function<void(const std::string&)>& write)
  {
    const std::vector<std::string> strategies = StrategyList();
    const auto live = [this](std::size_t i)
    { return this->Name("live." + std::to_string(i) + ".h5"); };
    this->Couple(
      [&]
      {
        for (std::size_t i = 0; i < strategies.size(); ++i)
        {
          this->World.Barrier(); // the strategy is set
          write(live(i));
          this->World.Barrier();
        }
      },
      [&](LocalServer& server)
      {
        for (std::size_t i = 0; i < strategies.size(); ++i)
        {
          this->Options.Map.Strategy = strategies[i];
          server.SetMap(this->Options.Map);
          this->World.Barrier();
          this->World.Barrier(); // written
          int same = 1;
          if (this->IsLastHost())
          {
            // What lies at the other hosts comes over the transport, too.
            const SnapshotView view(server.GetConnection(), live(i));
            EXPECT_EQ(strategies[i], view.Description().Map.Strategy);
            this->Look(view);
            SaveSnapshot(view, this->Name("saved.h5"));
            same = onDisk == patterns::Bytes(this->Name("saved.h5"));
          }
          MPI_Bcast(&same, 1, MPI_INT, this->Part.Size - 1, this->PartComm);
          EXPECT_TRUE(same) << strategies[i];
          this->Note(strategies[i]);
        }
      });
  }

private:
  bool IsLastHost() const { return this->IsHost && this->Part.Rank == this->Part.Size - 1; }

  void Note(const std::string& strategy) const
  {
    const char* table = std::getenv("DSM_TRANSPORT_TABLE");
    if (table && this->World.Rank == 0)
    {
      // One write, since others may append at the same time.
      std::ostringstream line;
      line << Communicator::LibraryName() << ';' << Communicator::LibraryName() << ';'
           << (testranks::AreTwoJobs() ? "two jobs" : "one job") << ';' << this->GetParam() << ';'
           << strategy << ';' << this->Part.Size << ';' << this->World.Size - this->Part.Size << ';'
           << (testing::Test::HasFailure() ? "different" : "identical") << '\n';
      std::ofstream(table, std::ios::app) << line.str() << std::flush;
    }
  }
};

}
