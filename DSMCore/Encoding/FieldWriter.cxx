// SPDX-License-Identifier: BSD-3-Clause
#include "Encoding/FieldWriter.h"

#include "Encoding/PlainJson.h"

#include <utility>

namespace dsm
{

using Json = nlohmann::ordered_json;

FieldWriter::FieldWriter()
  : Root(std::make_unique<Json>(Json::object()))
  , Open{ this->Root.get() }
{
}

FieldWriter::~FieldWriter() = default;

Json& FieldWriter::Add(const char* name, Json value)
{
  Json& into = *this->Open.back();
  return name ? into[name] = std::move(value) : into.emplace_back(std::move(value));
}

void FieldWriter::Visit(const char* name, bool& value)
{
  this->Add(name, value);
}

void FieldWriter::Visit(const char* name, double& value)
{
  this->Add(name, value);
}

void FieldWriter::Visit(const char* name, std::string& value)
{
  this->Add(name, value);
}

void FieldWriter::Visit(const char* name, Bytes& value)
{
  this->Add(name, Json::binary(value));
}

void FieldWriter::Visit(const char* name, PlainValue& value)
{
  this->Add(name, JsonOf<Json>(value));
}

void FieldWriter::Visit(const char* name, std::uint64_t& value)
{
  this->Add(name, value);
}

void FieldWriter::Visit(const char* name, std::int64_t& value)
{
  this->Add(name, value);
}

void FieldWriter::BeginRecord(const char* name)
{
  this->Open.push_back(&this->Add(name, Json::object()));
}

std::size_t FieldWriter::BeginList(const char* name, std::size_t size)
{
  Json& list = this->Add(name, Json::array());
  list.get_ref<Json::array_t&>().reserve(size);
  this->Open.push_back(&list);
  return size;
}

void FieldWriter::End()
{
  this->Open.pop_back();
}

}
