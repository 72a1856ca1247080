// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Encoding/Fields.h"

#include <functional>
#include <string>
#include <string_view>

/// Records as bytes (CBOR, RFC 8949), for messages, and as text (JSON), for files and people. The
/// only place that knows how either is made. Thread safe.
namespace dsm
{

/// What a record consists of, without its type: calls Describe or visits fields itself.
using FieldVisitor = std::function<void(Fields&)>;

Bytes EncodeFields(const FieldVisitor& visit);
std::string TextOfFields(const FieldVisitor& visit, int indent);

/// What becomes of a field that the record does not know.
enum class Unknown
{
  Refused,
  Ignored ///< for the part of a record that all versions have
};

/// `what` begins a complaint: "the message \"begin\"". Throws Error(Refused).
void DecodeFields(const void* data, std::size_t size, const std::string& what,
  const FieldVisitor& visit, Unknown unknown = Unknown::Refused);
void FieldsFromText(const std::string& text, const std::string& what, const FieldVisitor& visit,
  Unknown unknown = Unknown::Refused);

/// True for a whole JSON text.
bool IsJsonText(const std::string& text);

/// A record's bytes. Text in them need not be UTF-8: file names are none.
template <typename Record>
Bytes Encode(const Record& record)
{
  // Writing leaves the record as it is.
  return EncodeFields([&](Fields& fields) { Describe(fields, const_cast<Record&>(record)); });
}

/// The record that bytes hold, checked: see Fields. Throws Error(Refused) that begins with `what`.
template <typename Record>
Record Decode(const Bytes& bytes, const std::string& what, Unknown unknown = Unknown::Refused)
{
  Record record;
  DecodeFields(
    bytes.data(), bytes.size(), what, [&](Fields& fields) { Describe(fields, record); }, unknown);
  return record;
}

/// As JSON text; what is no UTF-8 in it is replaced. An indent of -1: on one line.
template <typename Record>
std::string ToText(const Record& record, int indent = -1)
{
  return TextOfFields(
    [&](Fields& fields) { Describe(fields, const_cast<Record&>(record)); }, indent);
}

/// The record that a JSON text holds, checked. Throws Error(Refused) that begins with `what`.
template <typename Record>
Record FromText(
  const std::string& text, const std::string& what, Unknown unknown = Unknown::Refused)
{
  Record record;
  FieldsFromText(text, what, [&](Fields& fields) { Describe(fields, record); }, unknown);
  return record;
}

}
