// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace dsm
{

/// The parts of a man page that the descriptions of the tool's options do not have.
struct ManPageNotes
{
  std::string Version;             ///< of the project
  std::string Date;                ///< of the page
  std::vector<std::string> Others; ///< tools whose pages it refers to
};

/// Returns a tool's man page, in the macros of man(7). It says what --help says: both are made
/// of the same descriptions.
std::string ManPage(const CLI::App& app, const ManPageNotes& notes);

}
