// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Error.h"

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <memory>
#include <string>
#include <vector>

/// What both sides of the fabric transport need of libfabric. Only Fabric*.cxx include this.
namespace dsm::fabric
{

/// Closes any libfabric object; says so when the library refuses.
void CloseObject(fid& object) noexcept;

struct Close
{
  template <typename T>
  void operator()(T* object) const noexcept
  {
    CloseObject(object->fid);
  }
};
template <typename T>
using Handle = std::unique_ptr<T, Close>;

struct FreeInfo
{
  void operator()(fi_info* info) const noexcept { fi_freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

/// Throws Error(Unsupported) if this process cannot have libfabric.
void RequireLibrary();

/// "Connection refused (111)" for a libfabric error of either sign.
std::string ErrorText(long error);

/// Throws Error(System) when a call failed.
void Check(long status, const char* call, const std::string& provider);

/// What memory is given to a provider.
enum class Pages
{
  ComeAndGo, ///< a segment's, unless it is pinned
  Stay       ///< so a provider may ask for all of them beforehand (FI_MR_ALLOCATED)
};

/// Names of the providers that can do what the transport needs here with such memory, best first;
/// those that must be named to be used come last.
std::vector<std::string> Providers(Pages pages = Pages::Stay);

/// True when a provider is there and asks for pages that stay; also of "verbs" for "verbs;ofi_rxm".
bool Pins(const std::string& provider);

/// True when a provider of exactly that name can.
bool Has(const std::string& provider);

/// What to open when the user names none: the best provider, and tcp, which any peer can reach.
std::vector<std::string> BestProviders(Pages pages);

/// Those that would be better, but for memory whose pages come and go; best first.
std::vector<std::string> BetterProviders();

/// One endpoint of a provider with what belongs to it. Members end in the right order.
struct Endpoint
{
  Info Description;
  Handle<fid_fabric> Fabric;
  Handle<fid_domain> Domain;
  Handle<fid_av> AddressVector;
  Handle<fid_cq> Completions;
  int WaitDescriptor = -1; ///< descriptor that is readable when there is something to do; -1: none
  Handle<fid_cntr>
    RemoteAccesses; ///< counts what peers do here, where WaitDescriptor does not tell; may be null
  Handle<fid_ep> Object;

  std::string Provider() const { return this->Description->fabric_attr->prov_name; }
  bool Requires(int memoryMode) const
  {
    return (this->Description->domain_attr->mr_mode & memoryMode) != 0;
  }

  /// How many operations may be under way at a time.
  std::size_t MostUnderWay() const;

  /// Registers memory and enables it for the endpoint. The key is the caller's where the provider
  /// lets it choose; ask the result.
  Handle<fid_mr> Register(
    const void* memory, std::size_t size, std::uint64_t access, std::uint64_t key) const;

  /// True when it is safe to wait for WaitDescriptor; else there is something to do already.
  bool MayWait() const;

  /// The endpoint's addresses, best first, in hexadecimal. Of one that listens on all interfaces,
  /// each interface's.
  std::vector<std::string> Names() const;
};

/// Opens an endpoint of a provider: "tcp", "verbs" (as "verbs;ofi_rxm"), … Throws
/// Error(Unsupported) that names what there is when there is no such provider. DSM_FABRIC_INTERFACE
/// names the network interface to use. `pages`: of what it will register.
Endpoint Open(const std::string& provider, Pages pages = Pages::Stay);

}
