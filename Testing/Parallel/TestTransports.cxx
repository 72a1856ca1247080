// SPDX-License-Identifier: BSD-3-Clause
// Every transport with every strategy: what arrives is byte for byte what MPI-IO writes to disk.
// Hosts and writers are one MPI job here, so MPI joins them statically; shared memory is forbidden
// but where it is the transport, since all run on one node.
//
// Usage: dsmTransportTests HOSTS. With DSM_TRANSPORT_TABLE=FILE each result is added there as a
// line: library, transport, how joined, hosts, writers, strategy, result.
#include "DriverFixture.h"

#include "Mpi/Communicator.h"

#include <cstdlib>

namespace
{

using namespace drivertests;

const std::vector<std::string> Strategies{ "contiguous", "mask", "block cyclic", "random block" };

class Transports
  : public Driver
  , public testing::WithParamInterface<const char*>
{
protected:
  void SetUp() override
  {
    Driver::SetUp();
    this->Options.Transport = TransportChoice::FromText(this->GetParam());
    this->Options.Transport.NodeMemory = this->Options.Transport.Heavy == "shared-memory";
  }

  void Note(const std::string& strategy) const
  {
    const char* table = std::getenv("DSM_TRANSPORT_TABLE");
    if (table && this->World.Rank == 0)
    {
      const std::string name = this->GetParam();
      std::ofstream(table, std::ios::app)
        << Communicator::LibraryName() << ';' << name << ';'
        << (name.rfind("mpi-", 0) == 0 ? "static" : "-") << ';' << this->Part.Size << ';'
        << this->World.Size - this->Part.Size << ';' << strategy << ';'
        << (testing::Test::HasFailure() ? "DIFFERENT" : "identical") << '\n';
    }
  }
};

TEST_P(Transports, CarryWhatIsWritten)
{
  const Layout layout;
  const auto live = [this](std::size_t i)
  { return this->Name("live." + std::to_string(i) + ".h5"); };
  // The same whatever the strategy, so written once.
  const std::string disk = this->Name("disk.h5");
  this->Couple(
    [&]
    {
      patterns::Write(disk, this->Stock, this->Part, layout);
      patterns::Append(disk, this->Stock, this->Part, layout);
      for (std::size_t i = 0; i < Strategies.size(); ++i)
      {
        this->World.Barrier(); // the strategy is set
        patterns::Write(live(i), this->Live, this->Part, layout);
        patterns::Check(live(i), this->Live, this->Part, layout);
        patterns::Append(live(i), this->Live, this->Part, layout);
        patterns::Check(live(i), this->Live, this->Part, layout, true);
        this->World.Barrier();
      }
    },
    [&](Server& server)
    {
      for (std::size_t i = 0; i < Strategies.size(); ++i)
      {
        this->Options.Map.Strategy = Strategies[i];
        server.SetMap(this->Options.Map);
        this->World.Barrier();
        this->World.Barrier(); // written
        if (this->Part.Rank == this->Part.Size - 1)
        {
          // The last host: what lies at the others' comes over the transport, too.
          const SnapshotView view(server.GetConnection(), live(i));
          EXPECT_EQ(Strategies[i], view.Description().Map.Strategy);
          SaveSnapshot(view, this->Name("saved.h5"));
          EXPECT_TRUE(patterns::Bytes(disk) == patterns::Bytes(this->Name("saved.h5")))
            << Strategies[i];
        }
        this->Part.Barrier();
        this->Note(Strategies[i]);
      }
    });
}

INSTANTIATE_TEST_SUITE_P(All, Transports,
  testing::Values(
    "shared-memory", "fabric", "mpi-rma", "mpi-messages", "mpi-rma,mpi-messages:1KiB"),
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
