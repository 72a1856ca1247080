// SPDX-License-Identifier: BSD-3-Clause
// Built in place of XdmfReader and XdmfText for a ParaView without an XDMF reader.
#include "XdmfReader.h"
#include "XdmfText.h"

#include "Base/Error.h"

namespace dsm
{

namespace
{
[[noreturn]] void Missing()
{
  throw Error(Fault::Unsupported,
    "this ParaView was built without its reader for XDMF (VTK::IOXdmf2), so XDMF descriptions "
    "cannot be used");
}
}

bool xdmf::Available()
{
  return false;
}

std::string xdmf::Adapt(const std::string&, const Target&, const std::string&)
{
  Missing();
}

readers::InternalReader readers::MakeXdmfReader(const std::string&)
{
  Missing();
}

}
