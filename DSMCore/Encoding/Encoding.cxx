// SPDX-License-Identifier: BSD-3-Clause
#include "Encoding/Encoding.h"

#include "Base/Error.h"
#include "Encoding/Bounds.h"
#include "Encoding/FieldReader.h"
#include "Encoding/FieldWriter.h"
#include "Encoding/PlainJson.h"

#include <nlohmann/json.hpp>

namespace dsm
{

using Json = nlohmann::json;

namespace
{
void Read(const Json& document, const std::string& what, const FieldVisitor& visit, Unknown unknown)
{
  FieldReader reader(document, what);
  visit(reader);
  if (unknown == Unknown::Refused)
  {
    reader.Finish();
  }
}
}

Bytes EncodeFields(const FieldVisitor& visit)
{
  FieldWriter writer;
  visit(writer);
  return Json::to_cbor(writer.Document());
}

std::string TextOfFields(const FieldVisitor& visit, int indent)
{
  FieldWriter writer;
  visit(writer);
  return writer.Document().dump(indent, ' ', false, Json::error_handler_t::replace);
}

void DecodeFields(const void* data, std::size_t size, const std::string& what,
  const FieldVisitor& visit, Unknown unknown)
{
  const auto* begin = static_cast<const std::uint8_t*>(data);
  const Json document = IsBoundedCbor(begin, size)
    ? Json::from_cbor(begin, begin + size, true, false)
    : Json(Json::value_t::discarded);
  if (document.is_discarded())
  {
    throw Error(Fault::Refused, "{} is not in the encoding of our messages (CBOR)", what);
  }
  Read(document, what, visit, unknown);
}

void FieldsFromText(
  const std::string& text, const std::string& what, const FieldVisitor& visit, Unknown unknown)
{
  const Json document = ParseJson(text);
  if (document.is_discarded())
  {
    throw Error(Fault::Refused, "{} is no JSON text: {}", what, text.substr(0, 200));
  }
  Read(document, what, visit, unknown);
}

bool IsJsonText(const std::string& text)
{
  return Json::accept(text);
}

}
