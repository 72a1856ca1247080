// SPDX-License-Identifier: BSD-3-Clause
// Every transport with every strategy: what arrives is byte for byte what MPI-IO writes to disk.
// Hosts and writers are one MPI job, so that MPI joins them statically, or two that meet at a port
// (TestRanks.h); shared memory is forbidden but where it is the transport, since all run on one
// node.
//
// Usage: dsmTransportTests HOSTS. With DSM_TRANSPORT_TABLE=FILE each result is added there as a
// line, for transport_table.py.
#include "DriverFixture.h"

#include "Mpi/Communicator.h"
#include "Transport/ChooseTransport.h"

#include <cstdlib>
#include <sstream>
#include <utility>

namespace
{

using namespace drivertests;

std::vector<std::string> StrategyList()
{
  std::vector<std::string> names;
  for (const dsm::StrategyKind& kind : dsm::Strategies())
  {
    names.push_back(kind.Name);
  }
  return names;
}

const std::vector<std::string> AllStrategies = StrategyList();

// Each by itself, and two by size.
std::vector<std::string> AllTransports()
{
  std::vector<std::string> names = TransportNames();
  std::erase(names, "automatic");
  names.emplace_back("mpi-rma,mpi-messages:1KiB");
  return names;
}

class Transports
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

  // What MPI-IO writes; at the hosts. Collective over all, once per process.
  const std::vector<char>& OnDisk(const Layout& layout) const
  {
    static std::vector<char> bytes;
    static bool known = false;
    if (!std::exchange(known, true))
    {
      const std::string disk = this->Name("disk.h5");
      if (!this->IsHost)
      {
        patterns::Write(disk, this->Stock, this->Part, layout);
        patterns::Append(disk, this->Stock, this->Part, layout);
      }
      this->World.Barrier();
      bytes = patterns::Bytes(disk);
    }
    return bytes;
  }

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

TEST_P(Transports, CarryWhatIsWritten)
{
  Layout layout;
  layout.Rows = 12; // of small chunks: enough for each kind of transfer
  layout.Columns = 15;
  const std::vector<char>& onDisk = this->OnDisk(layout);
  const auto live = [this](std::size_t i)
  { return this->Name("live." + std::to_string(i) + ".h5"); };
  this->Couple(
    [&]
    {
      for (std::size_t i = 0; i < AllStrategies.size(); ++i)
      {
        this->World.Barrier(); // the strategy is set
        patterns::Write(live(i), this->Live, this->Part, layout);
        patterns::Append(live(i), this->Live, this->Part, layout);
        patterns::Check(live(i), this->Live, this->Part, layout, true);
        this->World.Barrier();
      }
    },
    [&](Server& server)
    {
      for (std::size_t i = 0; i < AllStrategies.size(); ++i)
      {
        this->Options.Map.Strategy = AllStrategies[i];
        server.SetMap(this->Options.Map);
        this->World.Barrier();
        this->World.Barrier(); // written
        int same = 1;
        if (this->Part.Rank == this->Part.Size - 1)
        {
          // The last host: what lies at the others' comes over the transport, too.
          const SnapshotView view(server.GetConnection(), live(i));
          EXPECT_EQ(AllStrategies[i], view.Description().Map.Strategy);
          SaveSnapshot(view, this->Name("saved.h5"));
          same = onDisk == patterns::Bytes(this->Name("saved.h5"));
        }
        MPI_Bcast(&same, 1, MPI_INT, this->Part.Size - 1, this->PartComm);
        EXPECT_TRUE(same) << AllStrategies[i];
        this->Note(AllStrategies[i]);
      }
    });
}

INSTANTIATE_TEST_SUITE_P(All, Transports, testing::ValuesIn(AllTransports()),
  [](const auto& info)
  {
    std::string name = info.param;
    for (char& c : name)
    {
      c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    }
    return name;
  });

}
