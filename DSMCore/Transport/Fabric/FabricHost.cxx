// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Fabric/FabricHost.h"

#include "Base/Clock.h"
#include "Base/Log.h"
#include "Base/RandomNumber.h"
#include "Base/Threads.h"
#include "Transport/Fabric/FabricEndpoint.h"
#include "Transport/Fabric/FabricNames.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace dsm
{

namespace
{

// After something arrived, more usually follows: look again at once for so long before sleeping.
// A thread that slept answers some 30 microseconds late, which is what a small put takes.
constexpr std::chrono::microseconds Attentive(100);
// Where nothing wakes the thread: how long it naps at first, and at most.
constexpr std::chrono::microseconds ShortestSleep(20);
constexpr std::chrono::microseconds LongestSleep(1000);
// However quiet: providers have timers and connections of their own to look after.
constexpr int LongestSleepMilliseconds = 1000;

struct ProviderRequest
{
  std::string Provider;
  bool Required;
};

const std::string NamedPrefix = "fabric/";

bool LeavesChoice(const std::string& name)
{
  return name == "fabric" || name == "automatic";
}

// What a choice wants to be open.
std::vector<ProviderRequest> Wishes(const TransportChoice& choice, fabric::Pages pages)
{
  std::vector<ProviderRequest> wishes;
  const auto add = [&](const std::string& provider, bool required)
  {
    const bool known = std::any_of(wishes.begin(), wishes.end(),
      [&](const ProviderRequest& wish) { return wish.Provider == provider; });
    if (!known)
    {
      wishes.push_back({ provider, required });
    }
  };
  for (const std::string& name : { choice.Heavy, choice.Light })
  {
    if (name.starts_with(NamedPrefix))
    {
      add(name.substr(NamedPrefix.size()), true);
    }
    else if (LeavesChoice(name))
    {
      const auto best = fabric::BestProviders(pages);
      if (best.empty() && name == "fabric")
      {
        fabric::RequireLibrary();
        throw Error(Fault::Unsupported,
          "libfabric has no provider here for the transport \"fabric\": choose another");
      }
      for (const std::string& provider : best)
      {
        add(provider, name == "fabric" && best.size() == 1);
      }
    }
  }
  return wishes;
}
}

namespace
{
fabric::Pages PagesOf(const LentSegment& segment)
{
  return segment.Pinned ? fabric::Pages::Stay : fabric::Pages::ComeAndGo;
}
}

class FabricHost::Implementation
{
public:
  Implementation(const LentSegment& segment, const TransportChoice& choice,
    const std::vector<std::string>& open);
  ~Implementation();

  struct Endpoint
  {
    fabric::Endpoint Local;
    fabric::Handle<fid_mr> Memory;    ///< ends before the endpoint it may be bound to
    fabric::Handle<fid_mr> Readable;  ///< the same memory, for those who may only read
    std::uint64_t RemoteAccesses = 0; ///< as last counted
  };

  std::vector<FabricAddress> Addresses;
  std::vector<Endpoint> Endpoints;
  std::vector<std::string> PassedOver; ///< providers, and why

private:
  void AddEndpoint(const LentSegment& segment, const std::string& provider);
  void Run();
  bool LookAtAll();
  bool WaitForAny(bool attentive);

  bool Blind = false; ///< a provider cannot tell when something arrives
  int Wakeup = -1;
  std::atomic<bool> Ending = false;
  std::thread Worker;
};

FabricHost::Implementation::Implementation(
  const LentSegment& segment, const TransportChoice& choice, const std::vector<std::string>& open)
{
  if (!segment.Pinned && open.empty() && (LeavesChoice(choice.Heavy) || LeavesChoice(choice.Light)))
  {
    for (const std::string& provider : fabric::BetterProviders())
    {
      this->PassedOver.push_back(
        fmt::format("fabric/{} was passed over: it pins all memory that it "
                    "is given, and the hosts' is sparse ({})",
          provider, segment.WhySparse));
    }
  }
  for (const ProviderRequest& wish : Wishes(choice, PagesOf(segment)))
  {
    // "tcp" is also "tcp;ofi_rxm", as peers look for it.
    const bool known = std::any_of(open.begin(), open.end(), [&](const std::string& name)
      { return name == wish.Provider || name.starts_with(wish.Provider + ";"); });
    if (known)
    {
      continue;
    }
    try
    {
      this->AddEndpoint(segment, wish.Provider);
    }
    catch (const Error& error)
    {
      if (wish.Required)
      {
        throw;
      }
      this->PassedOver.push_back(
        fmt::format("fabric/{} was passed over: {}", wish.Provider, error.what()));
    }
  }
  if (this->Endpoints.empty())
  {
    return;
  }
  this->Wakeup = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (this->Wakeup < 0)
  {
    throw Error(Fault::System, "eventfd: {}", SystemText(errno));
  }
  const SignalsBlocked quiet;
  this->Worker = std::thread([this] { this->Run(); });
}

void FabricHost::Implementation::AddEndpoint(
  const LentSegment& segment, const std::string& provider)
{
  std::byte* const memory = segment.Data;
  const std::uint64_t size = segment.Size;
  fabric::Endpoint local = fabric::Open(provider, PagesOf(segment));
  fabric::Handle<fid_mr> region =
    local.Register(memory, size, FI_REMOTE_READ | FI_REMOTE_WRITE, RandomNumber());
  fabric::Handle<fid_mr> readable = local.Register(memory, size, FI_REMOTE_READ, RandomNumber());
  FabricAddress address;
  address.Provider = local.Provider();
  address.Names = local.Names();
  address.Key = fi_mr_key(region.get());
  address.ReadKey = fi_mr_key(readable.get());
  address.Base = local.Requires(FI_MR_VIRT_ADDR) ? reinterpret_cast<std::uintptr_t>(memory) : 0;
  this->Addresses.push_back(std::move(address));
  this->Blind = this->Blind || local.WaitDescriptor < 0;
  this->Endpoints.push_back({ std::move(local), std::move(region), std::move(readable), 0 });
}

FabricHost::Implementation::~Implementation()
{
  if (this->Worker.joinable())
  {
    this->Ending = true;
    eventfd_write(this->Wakeup, 1);
    this->Worker.join();
    close(this->Wakeup);
  }
}

// Lets every provider do what there is to do. Nobody sends to a host, so what the queues say are
// errors of connections that peers left: theirs to report, not ours.
bool FabricHost::Implementation::LookAtAll()
{
  bool found = false;
  for (Endpoint& endpoint : this->Endpoints)
  {
    std::array<fi_cq_entry, 16> entries;
    const auto got = fi_cq_read(endpoint.Local.Completions.get(), entries.data(), entries.size());
    if (got == -FI_EAVAIL)
    {
      fi_cq_err_entry error = {};
      fi_cq_readerr(endpoint.Local.Completions.get(), &error, 0);
      Log().debug("fabric host, {}: {}", endpoint.Local.Provider(), fabric::ErrorText(error.err));
    }
    found = found || got > 0 || got == -FI_EAVAIL;
    if (endpoint.Local.RemoteAccesses)
    {
      const std::uint64_t before =
        std::exchange(endpoint.RemoteAccesses, fi_cntr_read(endpoint.Local.RemoteAccesses.get()));
      found = found || endpoint.RemoteAccesses != before;
    }
  }
  return found;
}

// Sleeps until something arrived, a nap was long enough, or the end; true when something arrived.
bool FabricHost::Implementation::WaitForAny(bool attentive)
{
  std::vector<pollfd> sources{ { this->Wakeup, POLLIN, 0 } };
  for (Endpoint& endpoint : this->Endpoints)
  {
    if (endpoint.Local.WaitDescriptor >= 0)
    {
      if (!endpoint.Local.MayWait())
      {
        return true;
      }
      sources.push_back({ endpoint.Local.WaitDescriptor, POLLIN, 0 });
    }
  }
  return poll(sources.data(), sources.size(),
           attentive || this->Blind ? 0 : LongestSleepMilliseconds) > 0;
}

void FabricHost::Implementation::Run()
{
  pthread_setname_np(pthread_self(), "dsm-fabric");
  auto last = Clock::now();
  auto nap = ShortestSleep;
  while (!this->Ending)
  {
    const bool attentive = Clock::now() - last < Attentive;
    if (this->LookAtAll() || this->WaitForAny(attentive))
    {
      last = Clock::now();
      nap = ShortestSleep;
    }
    else if (attentive)
    {
      std::this_thread::yield();
    }
    else if (this->Blind)
    {
      std::this_thread::sleep_for(nap);
      nap = std::min(nap * 2, LongestSleep);
    }
  }
}

FabricHost::FabricHost(
  const LentSegment& segment, const TransportChoice& choice, const std::vector<std::string>& open)
  : Self(std::make_unique<Implementation>(segment, choice, open))
{
}

PinningNeed FabricHost::NeedsPinned(const TransportChoice& choice)
{
  PinningNeed need;
  for (const std::string& name : { choice.Heavy, choice.Light })
  {
    const std::string provider =
      name.starts_with(NamedPrefix) ? name.substr(NamedPrefix.size()) : "";
    if (!provider.empty() && fabric::Pins(provider))
    {
      return { fmt::format("the fabric provider {} pins all memory that it is given", provider),
        true };
    }
    const auto better = LeavesChoice(name) ? fabric::BetterProviders() : std::vector<std::string>();
    if (!better.empty() && need.Why.empty())
    {
      need.Why = fmt::format("the fabric provider {}, the fastest here, pins all memory that it is "
                             "given",
        better.front());
    }
  }
  return need;
}

FabricHost::~FabricHost() = default;

const std::vector<FabricAddress>& FabricHost::Addresses() const
{
  return this->Self->Addresses;
}

std::vector<std::string> FabricHost::Describe() const
{
  std::vector<std::string> lines;
  for (const auto& endpoint : this->Self->Endpoints)
  {
    lines.push_back(fmt::format("fabric/{}, served by a thread that {}", endpoint.Local.Provider(),
      endpoint.Local.WaitDescriptor >= 0 ? "sleeps while nothing comes" : "looks for what comes"));
  }
  lines.insert(lines.end(), this->Self->PassedOver.begin(), this->Self->PassedOver.end());
  return lines;
}

}
