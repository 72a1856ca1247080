// SPDX-License-Identifier: BSD-3-Clause
#include "Protocol/FilePolicy.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Encoding/Fields.h"

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
      "shows it as well); to a simulation also seconds (it is flushed that often)",
      what, text);
  }
  return text == "flush";
}

std::optional<Seconds> PublishInterval()
{
  const auto text = environment::Text("DSM_PUBLISH");
  const bool isNumber = text && text->find_first_not_of("0123456789.") == std::string::npos;
  return isNumber ? std::optional(environment::SecondsOr("DSM_PUBLISH", 0)) : std::nullopt;
}

std::optional<bool> PublishFromEnvironment()
{
  const auto text = environment::Text("DSM_PUBLISH");
  return text ? std::optional(PublishInterval() || PublishFromText(*text, "DSM_PUBLISH"))
              : std::nullopt;
}

FilePolicy FilePolicy::WithEnvironment() const
{
  FilePolicy policy = *this;
  policy.Match = environment::Text("DSM_MATCH").value_or(this->Match);
  policy.OnFlush = PublishFromEnvironment().value_or(this->OnFlush);
  return policy;
}

void Describe(Fields& fields, FilePolicy& value)
{
  fields("Match", value.Match);
  fields.AsText("Publish", value.OnFlush, PublishText,
    [](const std::string& text) { return PublishFromText(text, "Publish"); });
  fields("MayBeOnDisk", value.MayBeOnDisk);
}

}
