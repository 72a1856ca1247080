// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/CommandLine.h"

#include "Tools/ManPage.h"

#include <vector>

namespace dsm
{

CommandLine::CommandLine(const std::string& name, const std::string& description)
  : CLI::App(description, name)
{
  this->set_version_flag("--version", name + " " DSM_VERSION, "Print the version and exit");
  // "2026-01-31,dsm-run,dsm-serve": the page's date, and the pages that it refers to.
  this
    ->add_option_function<std::vector<std::string>>("--man-page",
      [this](const std::vector<std::string>& words)
      {
        const ManPageNotes notes{ DSM_VERSION, words.front(), { words.begin() + 1, words.end() } };
        throw CLI::CallForVersion(ManPage(*this, notes), 0);
      })
    ->delimiter(',')
    ->allow_extra_args(false)
    ->group(""); // hidden
}

}
