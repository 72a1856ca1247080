// SPDX-License-Identifier: BSD-3-Clause
#include "Control/TransportChoice.h"

#include "Base/Environment.h"
#include "Base/Error.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace dsm
{

namespace
{
constexpr std::array<std::string_view, 5> Names{ "auto", "shared-memory", "mpi-rma", "mpi-messages",
  "fabric" };

std::string CheckedName(const std::string& name, const std::string& text)
{
  const bool isProvider =
    name.starts_with("fabric/") && name.size() > std::string("fabric/").size();
  if (!isProvider && std::find(Names.begin(), Names.end(), name) == Names.end())
  {
    throw Error(Fault::Usage,
      "there is no transport \"{}\" (in \"{}\"): choose one of {}, fabric/PROVIDER, or two of them "
      "as HEAVY,LIGHT:THRESHOLD (mpi-rma,fabric:8KiB)",
      name, text, fmt::join(Names, ", "));
  }
  return name;
}
}

TransportChoice TransportChoice::FromText(const std::string& text)
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

std::string TransportChoice::ToText() const
{
  return this->Light.empty() ? this->Heavy
                             : fmt::format("{},{}:{}", this->Heavy, this->Light, this->Threshold);
}

TransportChoice TransportChoice::WithEnvironment() const
{
  TransportChoice choice = *this;
  if (const auto text = environment::Text("DSM_TRANSPORT"))
  {
    choice = FromText(*text);
    choice.NodeMemory = this->NodeMemory;
  }
  if (const auto text = environment::Text("DSM_NODE_MEMORY"))
  {
    if (*text != "on" && *text != "off")
    {
      throw Error(Fault::Usage, "DSM_NODE_MEMORY is \"{}\": set it to on or off", *text);
    }
    choice.NodeMemory = *text == "on";
  }
  return choice;
}

void to_json(nlohmann::json& json, const TransportChoice& value)
{
  json = { { "Text", value.ToText() }, { "NodeMemory", value.NodeMemory } };
}

void from_json(const nlohmann::json& json, TransportChoice& value)
{
  value = TransportChoice::FromText(json.at("Text").get<std::string>());
  json.at("NodeMemory").get_to(value.NodeMemory);
}

}
