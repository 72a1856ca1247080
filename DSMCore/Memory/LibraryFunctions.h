// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>

namespace dsm
{

/// Looks functions up in a library that is loaded.
class LibraryFunctions
{
public:
  explicit LibraryFunctions(void* library)
    : Library(library)
  {
  }

  /// Sets a pointer to the function of that name, or to null.
  template <typename Function>
  void Get(const char* name, Function*& function)
  {
    function = reinterpret_cast<Function*>(dlsym(this->Library, name));
    this->Complete = this->Complete && function;
  }

  /// Returns true if each function was there.
  bool HasAll() const { return this->Complete; }

private:
  void* Library;
  bool Complete = true;
};

}
