// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace dsm
{

/// A command line as all installed tools have it: with --version, for which parsing throws
/// CLI::CallForVersion.
class CommandLine : public CLI::App
{
public:
  CommandLine(const std::string& name, const std::string& description);
};

}
