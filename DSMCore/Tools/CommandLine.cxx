// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/CommandLine.h"

namespace dsm
{

CommandLine::CommandLine(const std::string& name, const std::string& description)
  : CLI::App(description, name)
{
  this->set_version_flag("--version", name + " " DSM_VERSION, "Print the version and exit");
}

}
