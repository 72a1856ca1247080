// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Encoding/WritingFields.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <vector>

namespace dsm
{

/// Fields become a document of nlohmann-json, for text. Keeps their order.
class FieldWriter final : public WritingFields
{
public:
  FieldWriter();
  ~FieldWriter() override;

  const nlohmann::ordered_json& Document() const { return *this->Root; }

protected:
  void Visit(const char* name, bool& value) override;
  void Visit(const char* name, double& value) override;
  void Visit(const char* name, std::string& value) override;
  void Visit(const char* name, Bytes& value) override;
  void Visit(const char* name, PlainValue& value) override;
  void Visit(const char* name, std::uint64_t& value) override;
  void Visit(const char* name, std::int64_t& value) override;
  void BeginRecord(const char* name) override;
  std::size_t BeginList(const char* name, std::size_t size) override;
  void End() override;

private:
  nlohmann::ordered_json& Add(const char* name, nlohmann::ordered_json value);

  std::unique_ptr<nlohmann::ordered_json> Root;
  std::vector<nlohmann::ordered_json*> Open; ///< the records and lists we are in, outermost first
};

}
