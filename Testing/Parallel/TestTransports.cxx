// SPDX-License-Identifier: BSD-3-Clause
// Every transport with every strategy, with small files of all kinds of transfers
// (TransportFixture.h).
//
// Usage: dsmTransportTests HOSTS
#include "TransportFixture.h"

namespace
{

using namespace drivertests;

class Transports : public AnyTransport
{
};

TEST_P(Transports, CarryWhatIsWritten)
{
  Layout layout;
  layout.Rows = 12; // of small chunks: enough for each kind of transfer
  layout.Columns = 15;
  const auto write = [&](const std::string& name, hid_t access)
  {
    patterns::Write(name, access, this->Part, layout);
    patterns::Append(name, access, this->Part, layout);
  };
  const auto& onDisk = this->OnDisk([&](const std::string& name) { write(name, this->Stock); });
  this->CompareAll(onDisk,
    [&](const std::string& name)
    {
      write(name, this->Live);
      patterns::Check(name, this->Live, this->Part, layout, true);
    });
}

INSTANTIATE_TEST_SUITE_P(All, Transports,
  testing::ValuesIn(AllTransports("mpi-rma,mpi-messages:1KiB")),
  [](const auto& info) { return TestName(info.param); });

}
