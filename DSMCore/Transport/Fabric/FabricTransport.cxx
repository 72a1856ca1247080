// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Fabric/FabricTransport.h"

#include "Transport/Fabric/Fabric.h"
#include "Transport/Fabric/FabricAddress.h"
#include "Transport/Fabric/FabricHost.h"

namespace dsm
{

namespace
{
/// One FabricHost for each time that providers were opened.
class FabricLender final : public HostTransport
{
public:
  FabricLender(const LentSegment& segment, const TransportChoice& choice)
    : Segment(segment)
  {
    this->Open(choice);
  }

  void Open(const TransportChoice& choice) override
  {
    std::vector<std::string> open;
    for (const auto& host : this->Opened)
    {
      for (const FabricAddress& address : host->Addresses())
      {
        open.push_back(address.Provider);
      }
    }
    auto more = std::make_unique<FabricHost>(this->Segment, choice, open);
    if (!more->Describe().empty())
    {
      this->Opened.push_back(std::move(more));
    }
  }

  std::vector<TransportOffer> Offers() const override
  {
    std::vector<TransportOffer> offers;
    for (const auto& host : this->Opened)
    {
      for (const FabricAddress& address : host->Addresses())
      {
        offers.push_back(OfferOf(address));
      }
    }
    return offers;
  }

  std::vector<std::string> Describe() const override
  {
    std::vector<std::string> lines;
    for (const auto& host : this->Opened)
    {
      const auto some = host->Describe();
      lines.insert(lines.end(), some.begin(), some.end());
    }
    return lines;
  }

private:
  const LentSegment Segment;
  std::vector<std::unique_ptr<FabricHost>> Opened;
};

class FabricKind final : public TransportKind
{
public:
  std::string Name() const override { return "fabric"; }
  std::vector<std::string> Choices() const override { return { "fabric" }; }
  std::string Text() const override
  {
    return "one-sided over libfabric: joins any two jobs, whatever MPI they use";
  }
  std::string Variants() const override { return "PROVIDER"; }
  std::vector<std::string> VariantExamples() const override
  {
    return { "fabric/tcp", "fabric/verbs;ofi_rxm", "fabric/cxi", "fabric/shm" };
  }

  PinningNeed NeedsPinned(const TransportChoice& choice) const override
  {
    return FabricHost::NeedsPinned(choice);
  }

  std::unique_ptr<HostTransport> Lend(
    const LentSegment& segment, const TransportChoice& choice) const override
  {
    return std::make_unique<FabricLender>(segment, choice);
  }

  std::shared_ptr<Transport> Reach(const Reaching& reaching, const std::string& name) const override
  {
    const auto slash = name.find('/');
    return std::make_shared<Fabric>(reaching.Server,
      slash == std::string::npos ? std::string() : name.substr(slash + 1), reaching.Hosts);
  }
};
}

const TransportKind& FabricTransport()
{
  static const FabricKind kind;
  return kind;
}

}
