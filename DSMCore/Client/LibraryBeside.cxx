// SPDX-License-Identifier: BSD-3-Clause
#include "Client/LibraryBeside.h"

#include "Base/Error.h"

#include <utility>

#include <dlfcn.h>

namespace dsm
{

namespace
{
// The folder of the library that this function is in, with a slash behind it.
std::string OwnFolder()
{
  Dl_info where{};
  if (dladdr(reinterpret_cast<void*>(&OwnFolder), &where) == 0 || !where.dli_fname)
  {
    return {};
  }
  const std::string path = where.dli_fname;
  return path.substr(0, path.rfind('/') + 1);
}
}

LibraryBeside::LibraryBeside(const std::string& name, std::string purpose)
  : Path(OwnFolder() + name)
  , Purpose(std::move(purpose))
  , Handle(dlopen(this->Path.c_str(), RTLD_NOW | RTLD_LOCAL))
{
  if (!this->Handle)
  {
    this->Throw();
  }
}

void* LibraryBeside::Symbol(const char* function) const
{
  void* const found = dlsym(this->Handle, function);
  if (!found)
  {
    this->Throw();
  }
  return found;
}

void LibraryBeside::Throw() const
{
  const char* why = dlerror();
  throw Error(Fault::Unsupported, "there is no {} that could {}: {}", this->Path, this->Purpose,
    why ? why : "it is of another version");
}

}
