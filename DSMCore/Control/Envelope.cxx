// SPDX-License-Identifier: BSD-3-Clause
#include "Control/Envelope.h"

#include <array>

namespace dsm
{

namespace
{
struct KindName
{
  Envelope::Kind Kind;
  const char* Name;
};

constexpr std::array<KindName, 4> Kinds{ { { Envelope::Kind::Request, "request" },
  { Envelope::Kind::Reply, "reply" }, { Envelope::Kind::Refusal, "refusal" },
  { Envelope::Kind::Event, "event" } } };

const char* NameOf(Envelope::Kind kind)
{
  for (const KindName& one : Kinds)
  {
    if (one.Kind == kind)
    {
      return one.Name;
    }
  }
  return "";
}

Envelope::Kind KindOf(const std::string& name)
{
  for (const KindName& one : Kinds)
  {
    if (name == one.Name)
    {
      return one.Kind;
    }
  }
  throw Error(Fault::Refused, "there is no kind of message \"{}\"", name);
}

// Only what a message of its kind has travels.
void Describe(Fields& fields, Envelope& envelope)
{
  fields.AsText("Kind", envelope.What, NameOf, KindOf);
  const bool named =
    envelope.What == Envelope::Kind::Request || envelope.What == Envelope::Kind::Event;
  if (named)
  {
    fields("Name", envelope.Name);
  }
  if (envelope.What != Envelope::Kind::Event)
  {
    fields("Id", envelope.Id);
  }
  if (envelope.What == Envelope::Kind::Refusal)
  {
    fields.AsText("Fault", envelope.Reason, FaultName, FaultFromName);
    fields("Text", envelope.Text);
  }
  else
  {
    fields("Body", envelope.Body);
  }
}
}

Bytes EncodeEnvelope(const Envelope& envelope)
{
  return EncodeFields([&](Fields& fields) { Describe(fields, const_cast<Envelope&>(envelope)); });
}

std::optional<Envelope> DecodeEnvelope(const void* data, std::size_t size)
{
  try
  {
    Envelope envelope;
    DecodeFields(data, size, "a message", [&](Fields& fields) { Describe(fields, envelope); });
    return envelope;
  }
  catch (const Error&)
  {
    return std::nullopt;
  }
}

std::string MessageText(const std::string& name)
{
  return fmt::format("the message \"{}\" is not as this version of ParaView DSM has it", name);
}

}
