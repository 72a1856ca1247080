// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Fabric/FabricEndpoint.h"

#include "Base/Environment.h"
#include "Base/Log.h"
#include "Base/Threads.h"
#include "Transport/Fabric/FabricNames.h"
#include "Transport/Fabric/LibFabric.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include <netinet/in.h>

namespace dsm::fabric
{

namespace
{
// The oldest interface with all we use; a newer library fits itself to it.
constexpr std::uint32_t Version = FI_VERSION(1, 15);

// Fast ones first. What is not listed must be named: shm, because our own shared memory is faster;
// sockets, because it polls; udp, because it loses.
constexpr std::array<std::string_view, 8> Ranking{ "cxi", "efa", "verbs;ofi_rxm", "psm3", "psm2",
  "opx", "tcp", "tcp;ofi_rxm" };

// Providers over plain sockets, which can listen on all interfaces at once.
bool IsPlainTcp(std::string_view provider)
{
  return provider == "tcp" || provider == "tcp;ofi_rxm";
}

// A provider that has no descriptor to wait for, but can count.
bool CannotWake(std::string_view provider)
{
  return provider == "shm";
}

// With more under way the deprecated provider may stop for ever on a busy machine: each operation
// and each answer has one of 128 entries (SOCK_PE_MAX_ENTRIES). Of runs of a test, six at a time on
// two cores, 11 of 290 did with the 256 that its queue takes, 4 of 240 with 64, and none of 377
// with so many.
constexpr std::size_t MostOverSockets = 32;

std::size_t Rank(const std::string& provider)
{
  return static_cast<std::size_t>(
    std::find(Ranking.begin(), Ranking.end(), provider) - Ranking.begin());
}

Info Hints(const std::string& provider, Pages pages)
{
  Info hints(fi_allocinfo());
  if (!hints)
  {
    throw Error(Fault::System, "fi_allocinfo: out of memory");
  }
  hints->caps = FI_RMA;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_PROV_KEY | FI_MR_LOCAL | FI_MR_ENDPOINT;
  hints->domain_attr->mr_mode |= pages == Pages::Stay ? FI_MR_ALLOCATED : 0;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  if (IsPlainTcp(provider))
  {
    hints->addr_format = FI_SOCKADDR_IN;
  }
  if (CannotWake(provider))
  {
    hints->caps |= FI_RMA_EVENT;
  }
  if (!provider.empty())
  {
    hints->fabric_attr->prov_name = strdup(provider.c_str());
  }
  return hints;
}

// What libfabric offers for such memory.
Info Find(const std::string& provider, Pages pages)
{
  if (!WhyMissing().empty())
  {
    return {};
  }
  // Providers start threads of their own.
  const SignalsBlocked quiet;
  const Info hints = Hints(provider, pages);
  fi_info* found = nullptr;
  const int status = fi_getinfo(Version, nullptr, nullptr, 0, hints.get(), &found);
  if (status != 0 && status != -FI_ENODATA)
  {
    Check(status, "fi_getinfo", provider.empty() ? "any" : provider);
  }
  return Info(found);
}

bool IsOn(const fi_info& info, const std::string& interface)
{
  if (info.domain_attr->name && interface == info.domain_attr->name)
  {
    return true;
  }
  const auto all = Interfaces();
  return info.addr_format == FI_SOCKADDR_IN && info.src_addr &&
    std::any_of(all.begin(), all.end(),
      [&](const Interface& one)
      {
        return one.Name == interface &&
          one.Address == static_cast<const sockaddr_in*>(info.src_addr)->sin_addr.s_addr;
      });
}

// Whether an offer is of the provider that was asked for: "verbs" means "verbs;ofi_rxm", too, but
// "tcp" means "tcp" where there is one.
bool IsOf(const fi_info& offer, const std::string& provider, bool exactly)
{
  const std::string name = offer.fabric_attr->prov_name;
  return exactly ? name == provider : name.starts_with(provider + ";");
}

// The first offer that fits, alone.
Info Choose(const std::string& provider, const std::optional<std::string>& interface, Pages pages)
{
  const Info offers = Find(provider, pages);
  std::vector<std::string> domains;
  for (const bool exactly : { true, false })
  {
    for (const fi_info* offer = offers.get(); offer; offer = offer->next)
    {
      if (!IsOf(*offer, provider, exactly))
      {
        continue;
      }
      if (!interface || IsOn(*offer, *interface))
      {
        return Info(fi_dupinfo(offer));
      }
      const std::string domain = offer->domain_attr->name ? offer->domain_attr->name : "?";
      if (std::find(domains.begin(), domains.end(), domain) == domains.end())
      {
        domains.push_back(domain);
      }
    }
  }
  if (!domains.empty())
  {
    throw Error(Fault::Usage,
      "the fabric provider {} has no interface \"{}\" (DSM_FABRIC_INTERFACE) here: it has {}",
      provider, interface.value_or(""), fmt::join(domains, ", "));
  }
  if (pages == Pages::ComeAndGo && Pins(provider))
  {
    throw Error(Fault::Unsupported,
      "the fabric provider {} pins all memory that it is given, and this server's comes and goes: "
      "start the server with this transport or with pinned memory (DSM_LENDING=pinned), let the "
      "provider page on demand (cxi: FI_CXI_ODP=1), or choose another ({}) or another transport",
      provider, fmt::join(Providers(pages), ", "));
  }
  RequireLibrary();
  throw Error(Fault::Unsupported,
    "libfabric {} has no provider \"{}\" here that does one-sided transfers: it has {}",
    fi_tostr("", FI_TYPE_VERSION), provider, fmt::join(Providers(pages), ", "));
}

// An endpoint without an address of its own listens on all interfaces, and each connection leaves
// by the interface that its route says. FI_TCP_IFACE or ours names one instead.
void ListenEverywhere(fi_info& info)
{
  if (IsPlainTcp(info.fabric_attr->prov_name) && info.addr_format == FI_SOCKADDR_IN &&
    info.src_addr && !std::getenv("FI_TCP_IFACE"))
  {
    auto* address = static_cast<sockaddr_in*>(info.src_addr);
    address->sin_addr.s_addr = htonl(INADDR_ANY);
    address->sin_port = 0;
  }
}

Handle<fid_cq> OpenQueue(const Endpoint& endpoint, int& descriptor)
{
  fi_cq_attr wanted = {};
  wanted.format = FI_CQ_FORMAT_CONTEXT;
  wanted.size = endpoint.Description->tx_attr->size + 64;
  fid_cq* queue = nullptr;
  wanted.wait_obj = FI_WAIT_FD;
  if (fi_cq_open(endpoint.Domain.get(), &wanted, &queue, nullptr) == 0)
  {
    Handle<fid_cq> opened(queue);
    if (fi_control(&queue->fid, FI_GETWAIT, &descriptor) == 0)
    {
      return opened;
    }
  }
  descriptor = -1;
  wanted.wait_obj = FI_WAIT_NONE;
  Check(
    fi_cq_open(endpoint.Domain.get(), &wanted, &queue, nullptr), "fi_cq_open", endpoint.Provider());
  return Handle<fid_cq>(queue);
}
}

void CloseObject(fid& object) noexcept
{
  const int status = fi_close(&object);
  if (status != 0)
  {
    Log().debug("fi_close: {}", ErrorText(status));
  }
}

void RequireLibrary()
{
  if (!WhyMissing().empty())
  {
    throw Error(Fault::Unsupported,
      "the transport \"fabric\" needs libfabric, which is not on this machine ({}): install it "
      "(Debian: libfabric1), or choose another transport",
      WhyMissing());
  }
}

std::string ErrorText(long error)
{
  const int positive = static_cast<int>(error < 0 ? -error : error);
  return fmt::format("{} ({})", fi_strerror(positive), positive);
}

void Check(long status, const char* call, const std::string& provider)
{
  if (status < 0)
  {
    throw Error(Fault::System, "libfabric's {} failed with provider {}: {}", call, provider,
      ErrorText(status));
  }
}

bool Pins(const std::string& provider)
{
  const auto isOf = [&](const std::string& name)
  { return name == provider || name.starts_with(provider + ";"); };
  const auto without = Providers(Pages::ComeAndGo);
  const auto with = Providers(Pages::Stay);
  return std::none_of(without.begin(), without.end(), isOf) &&
    std::any_of(with.begin(), with.end(), isOf);
}

std::vector<std::string> Providers(Pages pages)
{
  const Info offers = Find({}, pages);
  std::vector<std::string> names;
  for (const fi_info* offer = offers.get(); offer; offer = offer->next)
  {
    const std::string name = offer->fabric_attr->prov_name;
    if (std::find(names.begin(), names.end(), name) == names.end())
    {
      names.push_back(name);
    }
  }
  std::stable_sort(names.begin(), names.end(),
    [](const std::string& a, const std::string& b) { return Rank(a) < Rank(b); });
  return names;
}

bool Has(const std::string& provider)
{
  const Info offers = Find(provider, Pages::Stay);
  for (const fi_info* offer = offers.get(); offer; offer = offer->next)
  {
    if (provider == offer->fabric_attr->prov_name)
    {
      return true;
    }
  }
  return false;
}

std::vector<std::string> BetterProviders()
{
  const auto usable = Providers(Pages::ComeAndGo);
  const std::size_t best = usable.empty() ? Ranking.size() : Rank(usable.front());
  auto better = Providers(Pages::Stay);
  std::erase_if(better, [&](const std::string& provider) { return Rank(provider) >= best; });
  return better;
}

std::vector<std::string> BestProviders(Pages pages)
{
  std::vector<std::string> best;
  for (const std::string& provider : Providers(pages))
  {
    if (Rank(provider) < Ranking.size() && (best.empty() || provider == "tcp"))
    {
      best.push_back(provider);
    }
  }
  return best;
}

Handle<fid_mr> Endpoint::Register(
  const void* memory, std::size_t size, std::uint64_t access, std::uint64_t key) const
{
  const std::size_t keyBytes = this->Description->domain_attr->mr_key_size;
  if (keyBytes > 0 && keyBytes < sizeof key)
  {
    key &= (UINT64_C(1) << (8 * keyBytes)) - 1;
  }
  fid_mr* region = nullptr;
  Check(fi_mr_reg(this->Domain.get(), memory, size, access, 0, key, 0, &region, nullptr),
    "fi_mr_reg", this->Provider());
  Handle<fid_mr> registered(region);
  if (this->Requires(FI_MR_ENDPOINT))
  {
    Check(fi_mr_bind(region, &this->Object->fid, 0), "fi_mr_bind", this->Provider());
    Check(fi_mr_enable(region), "fi_mr_enable", this->Provider());
  }
  return registered;
}

std::size_t Endpoint::MostUnderWay() const
{
  const std::size_t queue = std::max<std::size_t>(1, this->Description->tx_attr->size);
  return this->Provider() == "sockets" ? std::min(queue, MostOverSockets) : queue;
}

bool Endpoint::MayWait() const
{
  fid* queue = &this->Completions->fid;
  return this->WaitDescriptor >= 0 && fi_trywait(this->Fabric.get(), &queue, 1) == 0;
}

std::vector<std::string> Endpoint::Names() const
{
  std::vector<std::byte> bytes(256);
  std::size_t size = bytes.size();
  int status = fi_getname(&this->Object->fid, bytes.data(), &size);
  if (status == -FI_ETOOSMALL)
  {
    bytes.resize(size);
    status = fi_getname(&this->Object->fid, bytes.data(), &size);
  }
  Check(status, "fi_getname", this->Provider());
  const std::string name = ToHexadecimal(bytes.data(), size);
  if (InternetAddress(name) != std::optional<std::uint32_t>(htonl(INADDR_ANY)))
  {
    return { name };
  }
  std::vector<std::string> names;
  for (const Interface& one : Interfaces())
  {
    names.push_back(WithAddress(name, one.Address));
  }
  return names;
}

Endpoint Open(const std::string& provider, Pages pages)
{
  const SignalsBlocked quiet;
  const auto interface = environment::Text("DSM_FABRIC_INTERFACE");
  Endpoint endpoint;
  endpoint.Description = Choose(provider, interface, pages);
  fi_info& info = *endpoint.Description;
  const std::string name = endpoint.Provider();
  if (!interface)
  {
    ListenEverywhere(info);
  }
  fid_fabric* fabric = nullptr;
  Check(fi_fabric(info.fabric_attr, &fabric, nullptr), "fi_fabric", name);
  endpoint.Fabric.reset(fabric);
  fid_domain* domain = nullptr;
  Check(fi_domain(fabric, &info, &domain, nullptr), "fi_domain", name);
  endpoint.Domain.reset(domain);
  fi_av_attr table = {};
  table.type = info.domain_attr->av_type;
  fid_av* addresses = nullptr;
  Check(fi_av_open(domain, &table, &addresses, nullptr), "fi_av_open", name);
  endpoint.AddressVector.reset(addresses);
  endpoint.Completions = OpenQueue(endpoint, endpoint.WaitDescriptor);
  fid_ep* object = nullptr;
  Check(fi_endpoint(domain, &info, &object, nullptr), "fi_endpoint", name);
  endpoint.Object.reset(object);
  Check(fi_ep_bind(object, &addresses->fid, 0), "fi_ep_bind", name);
  Check(fi_ep_bind(object, &endpoint.Completions->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind", name);
  if (endpoint.WaitDescriptor < 0 && (info.caps & FI_RMA_EVENT) != 0)
  {
    fi_cntr_attr counting = {};
    counting.events = FI_CNTR_EVENTS_COMP;
    fid_cntr* accesses = nullptr;
    Check(fi_cntr_open(domain, &counting, &accesses, nullptr), "fi_cntr_open", name);
    endpoint.RemoteAccesses.reset(accesses);
    Check(fi_ep_bind(object, &accesses->fid, FI_REMOTE_READ | FI_REMOTE_WRITE), "fi_ep_bind", name);
  }
  Check(fi_enable(object), "fi_enable", name);
  return endpoint;
}

}
