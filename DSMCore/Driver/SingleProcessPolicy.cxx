// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/SingleProcessPolicy.h"

#include "Base/Environment.h"
#include "Base/Error.h"

namespace dsm
{

const char* SingleProcessText(SingleProcessPolicy policy)
{
  switch (policy)
  {
    case SingleProcessPolicy::Off:
      return "off";
    case SingleProcessPolicy::Asked:
      return "asked";
    case SingleProcessPolicy::Same:
      return "same";
  }
  return "";
}

SingleProcessPolicy SingleProcessFromText(const std::string& text, const std::string& what)
{
  for (const auto policy :
    { SingleProcessPolicy::Off, SingleProcessPolicy::Asked, SingleProcessPolicy::Same })
  {
    if (text == SingleProcessText(policy))
    {
      return policy;
    }
  }
  throw Error(Fault::Usage, "{} is \"{}\": choose off, asked or same", what, text);
}

SingleProcessPolicy SingleProcessFromEnvironment()
{
  const auto text = environment::Text("DSM_SINGLE_PROCESS");
  return text ? SingleProcessFromText(*text, "DSM_SINGLE_PROCESS") : SingleProcessPolicy::Asked;
}

}
