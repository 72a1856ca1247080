// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/SharedMemory/SharedMemoryTransport.h"

#include "Base/Error.h"
#include "Transport/SharedMemory/SharedMemory.h"

namespace dsm
{

namespace
{
/// The segment is shared memory already: peers need its name alone.
class SharedMemoryHost final : public HostTransport
{
public:
  explicit SharedMemoryHost(const LentSegment& segment)
    : Segment(segment.Name)
  {
  }

  void Open(const TransportChoice&) override {}
  std::vector<TransportOffer> Offers() const override
  {
    return { { "shared-memory", Bytes(this->Segment.begin(), this->Segment.end()) } };
  }
  std::vector<std::string> Describe() const override
  {
    return { "shared-memory, where hosts and peers share a node" };
  }

private:
  std::string Segment;
};

class SharedMemoryKind final : public TransportKind
{
public:
  std::string Name() const override { return "shared-memory"; }
  std::vector<std::string> Choices() const override { return { "shared-memory" }; }
  std::string Text() const override { return "maps the hosts' memory: for programs on their node"; }
  bool IsNodeLocal() const override { return true; }

  std::unique_ptr<HostTransport> Lend(
    const LentSegment& segment, const TransportChoice&) const override
  {
    return std::make_unique<SharedMemoryHost>(segment);
  }

  std::shared_ptr<Transport> Reach(const Reaching& reaching, const std::string&) const override
  {
    return std::make_shared<SharedMemory>(reaching.Server, reaching.Hosts);
  }
};
}

const TransportKind& SharedMemoryTransport()
{
  static const SharedMemoryKind kind;
  return kind;
}

std::string SegmentOf(const HostDescription& host)
{
  for (const TransportOffer& offer : host.Offers)
  {
    if (offer.Name == "shared-memory")
    {
      return { offer.Content.begin(), offer.Content.end() };
    }
  }
  throw Error(Fault::Unsupported, "the DSM server's host on {} offers no shared memory", host.Name);
}

}
