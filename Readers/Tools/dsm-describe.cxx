// SPDX-License-Identifier: BSD-3-Clause
// dsm-describe: tells what a file is taken for, by which rule, what was guessed and what is left
// out.
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Describe/AnyFile.h"
#include "Describe/DescriptionText.h"
#include "Describe/Hdf5Facts.h"
#include "Describe/Hdf5File.h"
#include "Describe/RecipeWriter.h"
#include "Driver/H5FDdsm.h"
#include "Tools/CommandLine.h"

#include <cstdio>
#include <optional>
#include <string>

namespace
{
int Describe(const std::string& name, std::optional<std::size_t> step, bool asRecipe)
{
  if (H5FD_dsm_set_default() < 0)
  {
    throw dsm::Error(dsm::Fault::System, "HDF5 refuses the DSM's driver");
  }
  const auto file = dsm::hdf5::OpenFile(name);
  const dsm::describe::Hdf5Facts facts(file);
  const dsm::describe::Asked asked{ facts, dsm::AbsoluteName(name), step };
  const auto found = dsm::describe::DescribeAnyFile(file, asked);
  const bool isVtkHdf = found.Format == "VTKHDF";
  if (asRecipe && (isVtkHdf || found.Empty))
  {
    throw dsm::Error(dsm::Fault::Unsupported, "a recipe cannot describe {}: {}", name,
      found.Empty ? found.Rule : "VTKHDF says itself all there is to say");
  }
  if (asRecipe)
  {
    std::fputs(TextOf(dsm::describe::RecipeFor(found, asked)).c_str(), stdout);
    return 0;
  }
  std::fputs(dsm::describe::Text(found).c_str(), stdout);
  return 0;
}
}

int main(int argc, char** argv)
{
  std::string name;
  std::optional<std::size_t> step;
  dsm::CommandLine app("dsm-describe",
    "Tells what ParaView's DSM readers take an HDF5 file for: by which rule, which parts, "
    "arrays and times, what was guessed, and what is left out and why. The file may be on "
    "disk or in the memory of a running server.\n"
    "Examples: dsm-describe out.00010.h5\n"
    "          dsm-describe --recipe out.00010.h5 > dsm.recipe");
  app.add_option("file", name, "a file's name, or a snapshot's: run.dsm#12, run.dsm#latest")
    ->required();
  app.add_option("--step", step, "of a file with several steps, counted from 0; else the last");
  bool asRecipe = false;
  app.add_flag("--recipe", asRecipe,
    "prints a recipe that shows the file as it is shown now, to change it and put it beside the "
    "file (out.h5.recipe, or dsm.recipe for all files of a folder)");
  CLI11_PARSE(app, argc, argv);
  try
  {
    return Describe(name, step, asRecipe);
  }
  catch (const std::exception& error)
  {
    std::fprintf(stderr, "dsm-describe: %s\n", error.what());
    return 1;
  }
}
