// SPDX-License-Identifier: BSD-3-Clause
#include "Encoding/Encoding.h"

#include "Base/Error.h"
#include "Encoding/CborReader.h"
#include "Encoding/CborWriter.h"
#include "Encoding/FieldReader.h"
#include "Encoding/FieldWriter.h"
#include "Encoding/PlainJson.h"

#include <nlohmann/json.hpp>

namespace dsm
{

using Json = nlohmann::json;

namespace
{
template <typename Reader>
void Read(Reader&& reader, const FieldVisitor& visit, Unknown unknown)
{
  visit(reader);
  if (unknown == Unknown::Refused)
  {
    reader.Finish();
  }
}
}

Bytes EncodeFields(const FieldVisitor& visit)
{
  CborWriter writer;
  visit(writer);
  return writer.Finish();
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
  Read(CborReader(static_cast<const std::uint8_t*>(data), size, what), visit, unknown);
}

void FieldsFromText(
  const std::string& text, const std::string& what, const FieldVisitor& visit, Unknown unknown)
{
  const Json document = ParseJson(text);
  if (document.is_discarded())
  {
    throw Error(Fault::Refused, "{} is no JSON text: {}", what, text.substr(0, 200));
  }
  Read(FieldReader(document, what), visit, unknown);
}

bool IsJsonText(const std::string& text)
{
  return Json::accept(text);
}

}
