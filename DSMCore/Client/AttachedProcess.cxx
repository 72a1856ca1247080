// SPDX-License-Identifier: BSD-3-Clause
#include "Client/AttachedProcess.h"

#include "Base/Error.h"

#include <dlfcn.h>

namespace dsm::attachedprocess
{

namespace
{

struct Loader
{
  const char* (*Attach)(const char*) = nullptr;
  void (*Detach)() = nullptr;
};

// It lies beside this library. Where it is preloaded, this is the same one.
Loader Find()
{
  Dl_info where{};
  std::string path;
  if (dladdr(reinterpret_cast<void*>(&Find), &where) != 0 && where.dli_fname)
  {
    path = where.dli_fname;
    path = path.substr(0, path.rfind('/') + 1) + "dsm/libdsm-loader.so";
  }
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  Loader found;
  if (handle)
  {
    found.Attach = reinterpret_cast<decltype(found.Attach)>(dlsym(handle, "DsmAttach"));
    found.Detach = reinterpret_cast<decltype(found.Detach)>(dlsym(handle, "DsmDetach"));
  }
  if (!found.Attach || !found.Detach)
  {
    const char* why = dlerror();
    throw Error(Fault::Unsupported, "there is no {} that could couple this process: {}", path,
      why ? why : "it is of another version");
  }
  return found;
}

}

void Attach(const std::string& contact)
{
  if (const char* problem = Find().Attach(contact.c_str()))
  {
    throw Error(Fault::NoServer, "{}", problem);
  }
}

void Detach()
{
  Find().Detach();
}

}
