// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Mpi/MpiTransport.h"

#include "Base/Error.h"
#include "Mpi/Job.h"
#include "Mpi/Leak.h"
#include "Transport/Mpi/MpiMediator.h"
#include "Transport/Mpi/MpiMembership.h"
#include "Transport/Mpi/MpiService.h"

#include <fmt/ranges.h>

namespace dsm
{

namespace
{
/// Hosts prepare for MPI at Start or not at all, since that is collective.
class MpiHost final : public HostTransport
{
public:
  MpiHost(const LentSegment& segment, const TransportChoice& choice)
  {
    if (WantsMpi(choice))
    {
      this->Service = std::make_unique<MpiService>(segment, choice);
    }
  }

  void Open(const TransportChoice& choice) override
  {
    if (WantsMpi(choice) && !(this->Service && this->Service->Serves(choice)))
    {
      throw Error(Fault::Unsupported,
        "the transport \"{}\" needs a server that was started with it, since its hosts prepare for "
        "MPI at Start only: stop the DSM server and start it again",
        choice.ToText());
    }
  }

  std::vector<TransportOffer> Offers() const override
  {
    std::vector<TransportOffer> offers;
    for (const std::string& name :
      this->Service ? this->Service->Names() : std::vector<std::string>())
    {
      offers.push_back({ name, {} });
    }
    return offers;
  }

  std::vector<std::string> Describe() const override
  {
    if (!this->Service)
    {
      return {};
    }
    const MpiOffer& offer = this->Service->Offer();
    return { fmt::format("{}, {}; {}", fmt::join(this->Service->Names(), " and "),
      JoinMethodText(offer), offer.Progress) };
  }

  std::unique_ptr<TransportMediator> MakeMediator() override
  {
    return std::make_unique<MpiMediator>(this->Service ? this->Service->Offer() : MpiOffer());
  }

  void Start(std::function<void(Bytes)>&& tell) override
  {
    if (this->Service)
    {
      this->Service->Start(std::move(tell));
    }
  }

  void Receive(const Bytes& message) override
  {
    if (this->Service)
    {
      this->Service->Receive(message);
    }
  }

  void FollowDisk(int descriptor) override
  {
    if (this->Service)
    {
      this->Service->FollowDisk(descriptor);
    }
  }

  bool NeedsPump() const override { return this->Service && this->Service->NeedsPump(); }
  bool Pump() override { return this->NeedsPump() && this->Service->Step(); }
  std::vector<std::shared_ptr<Transport>> OwnTransports() override
  {
    return this->Service ? this->Service->OwnTransports()
                         : std::vector<std::shared_ptr<Transport>>();
  }
  bool End() override { return !this->Service || this->Service->End(); }
  void Free() override
  {
    if (this->Service)
    {
      this->Service->Free();
    }
  }

private:
  std::unique_ptr<MpiService> Service; ///< null: the server was started without MPI
};

class MpiKind final : public TransportKind
{
public:
  std::string Name() const override { return "mpi"; }
  std::vector<std::string> Choices() const override { return { "mpi-rma", "mpi-messages" }; }
  std::string Text() const override
  {
    return "over MPI, one-sided or by messages: for programs that MPI can join";
  }

  std::string NeedsPump(const TransportChoice& choice) const override
  {
    return WantsMpi(choice) && MpiIsAlive() && !job::AllowsThreads()
      ? fmt::format("MPI is at {}, where no thread of ours may call it; {}", job::ThreadLevelName(),
          job::MoreThreadsText())
      : std::string();
  }

  PinningNeed NeedsPinned(const TransportChoice& choice) const override
  {
    const auto devices = WantsMpi(choice) ? NetworksThatPin() : std::vector<std::string>();
    if (devices.empty())
    {
      return {};
    }
    return { fmt::format("MPI may reach the hosts over {}, which pins the memory of windows and "
                         "messages",
               fmt::join(devices, ", ")),
      true };
  }

  std::unique_ptr<HostTransport> Lend(
    const LentSegment& segment, const TransportChoice& choice) const override
  {
    return std::make_unique<MpiHost>(segment, choice);
  }

  std::shared_ptr<Transport> Reach(const Reaching& reaching, const std::string& name) const override
  {
    for (const auto& transport : reaching.Joined)
    {
      if (name == "automatic" || transport->Name() == name)
      {
        return transport;
      }
    }
    throw Error(Fault::Unsupported, "this process has not joined the hosts over MPI");
  }

  bool MustJoin(const TransportPeer& peer) const override { return NeedsMpi(peer); }

  void Join(const Communicator& ranks, TransportPeer& peer) const override
  {
    JoinOverMpi(ranks, peer);
  }
};
}

const TransportKind& MpiTransport()
{
  static const MpiKind kind;
  return kind;
}

}
