// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/AnyFile.h"

#include "Describe/Check.h"
#include "Describe/Hdf5File.h"
#include "Describe/NothingYet.h"
#include "Describe/PlainRules.h"
#include "Describe/Recognisers.h"
#include "Describe/VirtualCheck.h"
#include "Describe/VtkHdfCheck.h"
#include "Describe/XdmfFinder.h"

#include <optional>
#include <string>

namespace dsm::describe
{

namespace
{
// Returns nothing if there is no XML library, and stores the reason in `without`.
std::optional<Description> ByXdmf(hid_t file, const Asked& asked, std::string& without)
{
  try
  {
    return RecogniseXdmf(file, asked.Name, asked.Step);
  }
  catch (const NoXmlLibrary& error)
  {
    without = error.what();
    return std::nullopt;
  }
}

Description DescribeNow(hid_t file, const Asked& asked)
{
  if (hdf5::IsVtkHdf(file))
  {
    Description shown{ "VTKHDF", "VTK's own reader shows it" };
    shown.Left = CheckVtkHdf(file);
    return shown;
  }
  std::string without;
  auto made = ByXdmf(file, asked, without);
  made = made ? made : RecogniseAny(asked);
  made = made ? made : DescribePlain(asked, {});
  Check(*made);
  if (!without.empty())
  {
    made->Guessed.insert(made->Guessed.begin(), "its description in XDMF is not used: " + without);
  }
  return *made;
}
}

Description DescribeAnyFile(hid_t file, const Asked& asked)
{
  CheckVirtual(file);
  return DescribeOrWait(asked.File, [&] { return DescribeNow(file, asked); });
}

}
