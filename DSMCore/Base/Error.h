// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/core.h>

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace dsm
{

/// What kind of thing went wrong: lets a caller choose a policy without reading the text.
enum class Fault
{
  Usage,       ///< the caller or user asked for something that makes no sense
  NoServer,    ///< nobody answers at the contact file's address, or there is no contact file
  Refused,     ///< the server answered and said no (wrong key, wrong version, unknown name)
  Gone,        ///< it was there, and is no more
  RingFull,    ///< the hosts' memory cannot take the image
  TimedOut,    ///< a wait reached its limit
  PeerLost,    ///< the other side went away while we were using it
  Unsupported, ///< this build, library or machine cannot do it
  System       ///< an operating system or library call failed
};

/// The one exception of the library. The text is for a person: it says what happened, where, and
/// what to do. It is converted once at each boundary (HDF5 error stack, C status, vtkErrorMacro).
class Error : public std::runtime_error
{
public:
  Error(Fault fault, const std::string& text)
    : std::runtime_error(text)
    , Kind(fault)
  {
  }

  template <typename... Args>
  Error(Fault fault, fmt::format_string<Args...> text, Args&&... args)
    : Error(fault, fmt::format(text, std::forward<Args>(args)...))
  {
  }

  /// Converts what a function threw. An Error keeps its fault and text. Every other exception
  /// becomes Fault::System with its text.
  ///@{
  static Error From(const std::exception& thrown);
  static Error From(const std::exception_ptr& thrown); ///< must not be null
  ///@}

  Fault GetFault() const { return this->Kind; }

private:
  Fault Kind;
};

/// The text of errno, as "No such file or directory (2)".
std::string SystemText(int errorNumber);

/// A fault's name as it travels in messages; FaultFromName is its inverse (System when unknown).
const char* FaultName(Fault fault);
Fault FaultFromName(const std::string& name);

}
