// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Encoding/Fields.h"

#include <nlohmann/json_fwd.hpp>

#include <set>
#include <string>
#include <vector>

namespace dsm
{

/// Gives a record its fields from a document of nlohmann-json, and checks them.
class FieldReader final : public Fields
{
public:
  /// `what` begins a complaint: "the message \"begin\"". The document must outlive the reader.
  FieldReader(const nlohmann::json& document, std::string what);
  ~FieldReader() override;

  /// To be called when all fields were visited. Throws Error(Refused) for one that was not.
  void Finish();

  bool Reading() const override { return true; }
  bool Has(const char* name) const override;
  bool IsText(const char* name) const override;
  std::vector<std::string> Names() const override;
  [[noreturn]] void Fail(const char* name, const std::string& what) const override;

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
  struct Level
  {
    const nlohmann::json* Content = nullptr;
    std::string Name;            ///< of the record or list, for complaints
    std::set<std::string> Known; ///< fields that were visited
    std::size_t Next = 0;        ///< element of a list
  };

  const nlohmann::json& Take(const char* name);
  std::string Path(const char* name) const;
  void CheckComplete(const Level& level) const;

  std::string What;
  std::vector<Level> Open;
};

}
