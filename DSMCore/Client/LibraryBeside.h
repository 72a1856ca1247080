// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace dsm
{

/// A library that lies beside this one, and is loaded when a program needs what it has: so programs
/// that do not need it load none of the libraries that it is linked with. It stays loaded.
class LibraryBeside
{
public:
  /// Loads it. `name` begins at the folder of this library. Throws Error(Unsupported) if there is
  /// none; `purpose` says what for: "couple this process".
  LibraryBeside(const std::string& name, std::string purpose);

  /// Finds a function. Throws Error(Unsupported) if the library has none of that name.
  template <typename Function>
  Function* Find(const char* function) const
  {
    return reinterpret_cast<Function*>(this->Symbol(function));
  }

private:
  void* Symbol(const char* function) const;
  [[noreturn]] void Throw() const;

  std::string Path;
  std::string Purpose;
  void* Handle;
};

}
