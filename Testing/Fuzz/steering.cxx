// SPDX-License-Identifier: BSD-3-Clause
// What people and scripts write to steer: requests, and declarations of parameters and commands.
// Text is refused by Error alone; what is read travels to the server and is written as text, and is
// the same there; a parameter takes its own default.
#include "Fuzz.h"

#include "Encoding/Encoding.h"
#include "Steering/DeclarationText.h"
#include "Steering/SteeringMessages.h"

namespace
{

using namespace dsm;
using dsm::fuzz::Accepted;
using dsm::fuzz::Require;

Declarations FromWritten(const std::string& text)
{
  Declarations read;
  FieldsFromText(text, "it", [&](Fields& fields) { DescribeAsWritten(fields, read); });
  return read;
}

void TryDeclarations(Declarations& read)
{
  for (const ParameterDeclaration& parameter : read.Parameters)
  {
    Require(Accepted(
              [&]
              {
                Require(parameter.Accept(ToPlainValue(parameter.Default)) == parameter.Default,
                  "a parameter takes its default as it is");
              }),
      "a parameter takes its default");
  }
  const Bytes bytes = Encode(read);
  Require(
    Accepted([&] { Require(Encode(Decode<Declarations>(bytes, "it")) == bytes, "the same"); }),
    "declarations travel");
  const std::string text =
    TextOfFields([&](Fields& fields) { DescribeAsWritten(fields, read); }, -1);
  Require(Accepted([&] { Require(Encode(FromWritten(text)) == bytes, "the same"); }),
    "what is written as declarations is read");
}

void TryRequest(const SteeringRequest& request)
{
  const Bytes bytes = Encode(request);
  Require(
    Accepted([&] { Require(Encode(Decode<SteeringRequest>(bytes, "it")) == bytes, "the same"); }),
    "a request travels");
  const std::string text = ToText(request);
  Require(Accepted([&] { Require(Encode(SteeringRequestFromText(text)) == bytes, "the same"); }),
    "what is written as a request is read");
}

}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  const std::string text(reinterpret_cast<const char*>(data), size);
  // What cannot be a request is not read as one.
  const bool asks = text.find("\"do\"") != std::string::npos;
  SteeringRequest request;
  Declarations declarations;
  if (asks && Accepted([&] { request = SteeringRequestFromText(text); }))
  {
    TryRequest(request);
  }
  else if (!asks && Accepted([&] { declarations = FromWritten(text); }))
  {
    TryDeclarations(declarations);
  }
  return 0;
}
