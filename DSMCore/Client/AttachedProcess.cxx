// SPDX-License-Identifier: BSD-3-Clause
#include "Client/AttachedProcess.h"

#include "Base/Error.h"
#include "Client/LibraryBeside.h"

namespace dsm::attachedprocess
{

namespace
{

struct Loader
{
  const char* (*Attach)(const char*) = nullptr;
  void (*Detach)() = nullptr;
};

// The loader may be preloaded: then this finds the same one.
Loader Find()
{
  const LibraryBeside library("dsm/libdsm-loader.so", "couple this process");
  return { library.Find<const char*(const char*)>("DsmAttach"), library.Find<void()>("DsmDetach") };
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
