// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace dsm
{

/// A command line as all installed tools have it: with --version, and with the hidden option
/// --man-page, by which the build writes the tool's man page (ManPage). If one of
/// them is given, parsing throws CLI::CallForVersion, as CLI11 does for --help.
class CommandLine : public CLI::App
{
public:
  CommandLine(const std::string& name, const std::string& description);
};

}
