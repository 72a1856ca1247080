// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/Redistribution.h"
#include "Protocol/TransportChoice.h"

#include <string>

namespace dsm
{

/// What a server does where nobody says otherwise: strategy, block size and transport. From the
/// least to the most binding: what is built in, the defaults file of this machine (dsm_bench
/// --recommend writes it), the environment, an explicit option.
struct ServerDefaults
{
  Redistribution Map;
  TransportChoice Transport;

  /// Where the file is: DSM_DEFAULTS ("off": nowhere), else paraview-dsm/defaults.json in
  /// XDG_CONFIG_HOME or ~/.config. Empty without any of them.
  static std::string Path();

  /// Built in, as the file changes it when there is one, as the environment changes that
  /// (Redistribution and TransportChoice know the variables). A file that says something is named
  /// in the log. Throws Error(Usage) naming the file or variable that says nonsense.
  static ServerDefaults Read();

  /// The same without the environment, from a file that must exist.
  static ServerDefaults FromFile(const std::string& path);

  /// Writes a file for Read, at once or not at all; makes its folders. Throws Error(System).
  void Write(const std::string& path) const;

  bool operator==(const ServerDefaults&) const = default;
};

}
