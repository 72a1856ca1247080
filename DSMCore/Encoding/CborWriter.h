// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Encoding/CborHead.h"
#include "Encoding/WritingFields.h"

#include <string>
#include <vector>

namespace dsm
{

/// Fields become bytes of CBOR (RFC 8949) as they are visited, in that order. All lengths are
/// given: readers refuse bytes without.
class CborWriter final : public WritingFields
{
public:
  CborWriter();

  /// The record's bytes. The writer is of no more use then.
  Bytes Finish();

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
  /// A record or list that is not whole yet: how many entries or elements it has goes into its
  /// head at its end.
  struct Level
  {
    std::size_t Head = 0; ///< where its head is
    CborType Type = CborType::Map;
    std::uint64_t Size = 0;
  };

  void Name(const char* name);
  void Begin(CborType type);

  Bytes Written;
  std::vector<Level> Open; ///< outermost first
};

}
