// SPDX-License-Identifier: BSD-3-Clause
#include "Control/Intake.h"

#include "Base/Environment.h"
#include "Base/Error.h"

namespace dsm
{

const char* PublishText(bool onFlush)
{
  return onFlush ? "flush" : "close";
}

bool PublishFromText(const std::string& text, const std::string& what)
{
  if (text != "close" && text != "flush")
  {
    throw Error(Fault::Usage,
      "{} is \"{}\": give \"close\" (a file is seen when it is closed) or \"flush\" (H5Fflush "
      "shows it as well)",
      what, text);
  }
  return text == "flush";
}

Intake Intake::WithEnvironment() const
{
  Intake intake = *this;
  intake.Match = environment::Text("DSM_MATCH").value_or(this->Match);
  if (const auto text = environment::Text("DSM_PUBLISH"))
  {
    intake.OnFlush = PublishFromText(*text, "DSM_PUBLISH");
  }
  return intake;
}

void to_json(nlohmann::json& json, const Intake& value)
{
  json = { { "match", value.Match }, { "publish", PublishText(value.OnFlush) } };
}

void from_json(const nlohmann::json& json, Intake& value)
{
  json.at("match").get_to(value.Match);
  value.OnFlush = PublishFromText(json.at("publish").get<std::string>(), "publish");
}

}
