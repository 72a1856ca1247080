// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/StrongType.h"
#include "Encoding/PlainValue.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace dsm
{

/// Bytes as they travel.
using Bytes = std::vector<std::uint8_t>;

/// Visits the fields of a record by name, either to write them or to read them. What travels is
/// thereby said once, in one function beside the record:
///
///     struct Extension { std::uint64_t Grant = 0; std::vector<std::string> Notes; };
///
///     void Describe(Fields& fields, Extension& record)
///     {
///       fields("Grant", record.Grant);
///       fields("Notes", record.Notes);
///     }
///
/// A reader checks what it reads: a field that is missing, of another type, out of range or not
/// known is an Error(Refused) that names it. A std::optional is left out when it is empty.
/// Neither MPI nor threads: each object serves one record at a time.
class Fields
{
public:
  virtual ~Fields() = default;

  /// True when the record gets its values from here.
  virtual bool Reading() const = 0;

  void operator()(const char* name, bool& value) { this->Visit(name, value); }
  void operator()(const char* name, double& value) { this->Visit(name, value); }
  void operator()(const char* name, std::string& value) { this->Visit(name, value); }
  void operator()(const char* name, Bytes& value) { this->Visit(name, value); }
  void operator()(const char* name, PlainValue& value) { this->Visit(name, value); }
  void operator()(const char* name, std::uint64_t& value) { this->Visit(name, value); }
  void operator()(const char* name, std::int64_t& value) { this->Visit(name, value); }
  void operator()(const char* name, int& value)
  {
    std::int64_t wide = value;
    this->Within(name, wide, std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
    value = static_cast<int>(wide);
  }

  template <typename Kind>
  void operator()(const char* name, StrongType<Kind>& value)
  {
    std::uint64_t number = value;
    this->Visit(name, number);
    value = StrongType<Kind>(number);
  }

  /// A number that makes sense from `least` to `most` only; both are allowed.
  template <typename Number>
  void Within(const char* name, Number& value, std::type_identity_t<Number> least,
    std::type_identity_t<Number> most)
  {
    this->Visit(name, value);
    if (this->Reading() && !(value >= least && value <= most))
    {
      this->Fail(name, "is out of range");
    }
  }

  /// A field that may be missing where it is read: the value stays as it is then.
  template <typename T>
  void IfThere(const char* name, T& value)
  {
    if (!this->Reading() || this->Has(name))
    {
      (*this)(name, value);
    }
  }

  /// A value that has a name for each of its states. `toText` and `fromText` are inverse; the
  /// second throws for a text that it does not know.
  template <typename T, typename ToText, typename FromText>
  void AsText(const char* name, T& value, const ToText& toText, const FromText& fromText)
  {
    std::string text = this->Reading() ? std::string() : std::string(toText(value));
    (*this)(name, text);
    if (this->Reading())
    {
      value = fromText(text);
    }
  }

  template <typename T>
  void operator()(const char* name, std::optional<T>& value)
  {
    if (!this->Reading() ? value.has_value() : this->Has(name))
    {
      T& content = value ? *value : value.emplace();
      (*this)(name, content);
    }
    else
    {
      value.reset();
    }
  }

  template <typename T>
  void operator()(const char* name, std::vector<T>& list)
  {
    this->List(name, list, [this](T& element) { (*this)(nullptr, element); });
  }

  /// A list whose elements need more than one call: `visit` gets each of them, and visits it under
  /// the name null.
  template <typename T, typename Visitor>
  void List(const char* name, std::vector<T>& list, const Visitor& visit)
  {
    const std::size_t count = this->BeginList(name, list.size());
    if (!this->Reading())
    {
      for (T& element : list)
      {
        visit(element);
      }
    }
    else
    {
      // One by one: elements that are not as they should be cost a byte each where they come from,
      // and room for all of them before the first is looked at would cost hundreds.
      list.clear();
      while (list.size() < count)
      {
        visit(list.emplace_back());
      }
    }
    this->End();
  }

  /// Pairs of a name and a value: an object whose fields are no fixed ones. What is read comes in
  /// the order of the names.
  template <typename T>
  void operator()(const char* name, std::vector<std::pair<std::string, T>>& entries)
  {
    this->BeginRecord(name);
    if (this->Reading())
    {
      entries.clear();
      for (std::string& key : this->Names())
      {
        entries.emplace_back(std::move(key), T());
      }
    }
    for (auto& [key, value] : entries)
    {
      (*this)(key.c_str(), value);
    }
    this->End();
  }

  template <typename T>
  void operator()(const char* name, std::map<std::string, T>& entries)
  {
    this->BeginRecord(name);
    if (this->Reading())
    {
      entries.clear();
      for (const std::string& key : this->Names())
      {
        entries[key];
      }
    }
    for (auto& [key, value] : entries)
    {
      (*this)(key.c_str(), value);
    }
    this->End();
  }

  /// A record within this one that has no type of its own: `visit` visits its fields.
  template <typename Visitor>
  void Record(const char* name, const Visitor& visit)
  {
    this->BeginRecord(name);
    visit();
    this->End();
  }

  /// A record within this one: whatever has a function Describe.
  template <typename T>
    requires std::is_class_v<T>
  void operator()(const char* name, T& record)
  {
    this->BeginRecord(name);
    Describe(*this, record);
    this->End();
  }

  /// Whether there is a field of that name; when reading.
  virtual bool Has(const char* name) const = 0;

  /// Whether a field, or with null the list's next element, is a text; when reading.
  virtual bool IsText(const char* name) const = 0;

  /// The names that there are in the record that is being read, sorted.
  virtual std::vector<std::string> Names() const = 0;

  /// Throws Error(Refused): what the field of that name is, when reading.
  [[noreturn]] virtual void Fail(const char* name, const std::string& what) const = 0;

protected:
  // `name` is null within a list.
  virtual void Visit(const char* name, bool& value) = 0;
  virtual void Visit(const char* name, double& value) = 0;
  virtual void Visit(const char* name, std::string& value) = 0;
  virtual void Visit(const char* name, Bytes& value) = 0;
  virtual void Visit(const char* name, PlainValue& value) = 0;
  virtual void Visit(const char* name, std::uint64_t& value) = 0;
  virtual void Visit(const char* name, std::int64_t& value) = 0;
  virtual void BeginRecord(const char* name) = 0;
  /// The number of elements: `size` when writing.
  virtual std::size_t BeginList(const char* name, std::size_t size) = 0;
  virtual void End() = 0;
};

/// A record without fields: a reply that says no more than that the request was met.
struct Nothing
{
};
inline void Describe(Fields&, Nothing&) {}

}
