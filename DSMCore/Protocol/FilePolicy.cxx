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
      "shows it as well)",
      what, text);
  }
  return text == "flush";
}

FilePolicy FilePolicy::WithEnvironment() const
{
  FilePolicy policy = *this;
  policy.Match = environment::Text("DSM_MATCH").value_or(this->Match);
  if (const auto text = environment::Text("DSM_PUBLISH"))
  {
    policy.OnFlush = PublishFromText(*text, "DSM_PUBLISH");
  }
  return policy;
}

void Describe(Fields& fields, FilePolicy& value)
{
  fields("Match", value.Match);
  fields.AsText("Publish", value.OnFlush, PublishText,
    [](const std::string& text) { return PublishFromText(text, "Publish"); });
}

}
