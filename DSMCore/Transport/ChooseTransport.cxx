// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/ChooseTransport.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Transport/TransportKind.h"

#include <fmt/ranges.h>

namespace dsm
{

namespace
{
// "fabric/PROVIDER": what may follow a slash.
std::string VariantNames()
{
  std::string names;
  for (const TransportKind* kind : TransportKinds())
  {
    if (!kind->Variants().empty())
    {
      names += fmt::format(", {}/{}", kind->Choices().front(), kind->Variants());
    }
  }
  return names;
}

// "auto" is what older job scripts have.
std::string CheckedName(const std::string& given, const std::string& text)
{
  const std::string name = given == "auto" ? "automatic" : given;
  if (name != "automatic" && !FindTransportKind(name))
  {
    throw Error(Fault::Usage, "there is no transport \"{}\" (in \"{}\"): choose one of {}", name,
      text, TransportsText());
  }
  return name;
}
}

std::vector<std::string> TransportNames()
{
  std::vector<std::string> names{ "automatic" };
  for (const TransportKind* kind : TransportKinds())
  {
    const auto choices = kind->Choices();
    names.insert(names.end(), choices.begin(), choices.end());
  }
  return names;
}

std::string TransportsText()
{
  return fmt::format("{}{}, or two of them as HEAVY,LIGHT:THRESHOLD (mpi-rma,fabric:8KiB)",
    fmt::join(TransportNames(), ", "), VariantNames());
}

TransportChoice TransportFromText(const std::string& text)
{
  TransportChoice choice;
  const auto comma = text.find(',');
  choice.Heavy = CheckedName(text.substr(0, comma), text);
  if (comma == std::string::npos)
  {
    return choice;
  }
  const auto colon = text.rfind(':');
  if (colon == std::string::npos || colon < comma)
  {
    throw Error(Fault::Usage,
      "the transport \"{}\" names two transports and no size that decides between them: write "
      "HEAVY,LIGHT:THRESHOLD, as mpi-rma,fabric:8KiB",
      text);
  }
  choice.Light = CheckedName(text.substr(comma + 1, colon - comma - 1), text);
  choice.Threshold =
    environment::ParseBytes(text.substr(colon + 1), "the threshold of transport \"" + text + "\"");
  return choice;
}

TransportChoice TransportWithEnvironment(const TransportChoice& given)
{
  TransportChoice choice = given;
  if (const auto text = environment::Text("DSM_TRANSPORT"))
  {
    choice = TransportFromText(*text);
    choice.NodeMemory = given.NodeMemory;
  }
  choice.NodeMemory = environment::SwitchOr("DSM_NODE_MEMORY", choice.NodeMemory);
  return choice;
}

}
