// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Encoding/CborCursor.h"
#include "Encoding/Fields.h"

#include <string>
#include <string_view>
#include <vector>

namespace dsm
{

/// Gives a record its fields from bytes of CBOR, and checks them. There is no document in between:
/// of each record that is open it knows where its fields are, and looks for one behind the one that
/// was read last, as the other side has written them in the same order.
class CborReader final : public Fields
{
public:
  /// `what` begins a complaint: "the message \"begin\"". It and the bytes must outlive the reader.
  /// Throws Error(Refused) for bytes that are not exactly one record.
  CborReader(const std::uint8_t* data, std::size_t size, std::string_view what);

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
  struct Entry
  {
    std::string_view Name;
    const std::uint8_t* Value = nullptr;
    bool Known = false; ///< it was visited
  };

  /// A record, which has entries, or a list, which has elements.
  struct Level
  {
    std::string_view Name{}; ///< in the record that it is in, for complaints
    bool IsList = false;
    std::size_t FirstEntry = 0;
    std::size_t Size = 0;                  ///< entries or elements
    std::size_t Next = 0;                  ///< the entry or element that is likely read next
    const std::uint8_t* Element = nullptr; ///< the next one
  };

  static constexpr std::size_t None = ~std::size_t(0);

  bool Index(CborCursor& cursor, std::uint64_t size);
  std::size_t Find(std::string_view name) const;
  const std::uint8_t* Take(const char* name);
  CborCursor Take(const char* name, CborHead& head);
  void Enter(const char* name, Level level);
  std::string Path(const char* name) const;
  void CheckComplete() const;

  std::string_view What;
  const std::uint8_t* DataEnd;
  std::vector<Level> Open;
  std::vector<Entry> Entries; ///< of all records that are open, the innermost's last
};

}
