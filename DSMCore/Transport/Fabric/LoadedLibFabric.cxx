// SPDX-License-Identifier: BSD-3-Clause
// Stubs for libfabric's functions, in builds for machines that have it or not (DSM_FABRIC_ON_USE).
// The first call loads it. A process must not have two of them, and clusters bring the one that
// knows their network: so none comes with us.
#include "Transport/Fabric/LibFabric.h"

#include <rdma/fabric.h>
#include <rdma/fi_errno.h>

#include <dlfcn.h>

#include <cstring>

namespace
{
struct LoadedLibrary
{
  void* Handle = dlopen("libfabric.so.1", RTLD_NOW | RTLD_LOCAL);
  std::string WhyNot = Handle ? "" : dlerror(); // dlerror says it once
};

const LoadedLibrary& Library()
{
  static const LoadedLibrary loaded;
  return loaded;
}

// Null where the library is not there.
template <typename Function>
Function Late(const char* name)
{
  void* const library = Library().Handle;
  return library ? reinterpret_cast<Function>(dlsym(library, name)) : nullptr;
}
}

const std::string& dsm::fabric::WhyMissing()
{
  return Library().WhyNot;
}

#define LATE(name) Late<decltype(&(name))>(#name)

// The callers have asked WhyMissing; without the library these say what libfabric says where it
// lacks something.

int fi_getinfo(std::uint32_t version, const char* node, const char* service, std::uint64_t flags,
  const fi_info* hints, fi_info** info)
{
  auto* const function = LATE(fi_getinfo);
  return function ? function(version, node, service, flags, hints, info) : -FI_ENODATA;
}

void fi_freeinfo(fi_info* info)
{
  if (auto* const function = LATE(fi_freeinfo))
  {
    function(info);
  }
}

fi_info* fi_dupinfo(const fi_info* info)
{
  auto* const function = LATE(fi_dupinfo);
  return function ? function(info) : nullptr;
}

int fi_fabric(fi_fabric_attr* attributes, fid_fabric** fabric, void* context)
{
  auto* const function = LATE(fi_fabric);
  return function ? function(attributes, fabric, context) : -FI_ENOSYS;
}

const char* fi_strerror(int error)
{
  auto* const function = LATE(fi_strerror);
  return function ? function(error) : std::strerror(error);
}

char* fi_tostr(const void* data, fi_type type)
{
  static char none[] = "?";
  auto* const function = LATE(fi_tostr);
  return function ? function(data, type) : none;
}
