// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/NamedData.h"
#include "Describe/Source.h"
#include "Describe/XdmfNames.h"
#include "Describe/XmlTree.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace dsm::describe
{

/// What the numbers of an item are to lie on: roles and their counts, the slowest first.
using XdmfLayout = std::vector<std::pair<Role, std::uint64_t>>;

/// The numbers of a DataItem, held against the file that it names: every dataset is there, and all
/// that is selected of it lies inside.
class XdmfItem
{
public:
  /// Throws dsm::Error: Usage where it is wrong, Unsupported where it is more than can be read.
  XdmfItem(const XmlElement& element, const XdmfNames& names, const NamedData& data);

  std::uint64_t Count() const;

  /// As the text gives the item's dimensions.
  const std::vector<std::uint64_t>& Shape() const { return this->Said; }

  /// How many components there are on such a layout. Throws dsm::Error(Usage) if the numbers do not
  /// fit.
  std::uint64_t ComponentsOn(const XdmfLayout& layout) const;

  /// Brought into a layout with so many components: one source, or one for each component.
  /// `guessed` gets what the text does not say.
  std::vector<Source> On(
    const XdmfLayout& layout, std::uint64_t components, std::vector<std::string>& guessed) const;

  /// Of a few numbers: themselves, also where they stand in a file.
  std::vector<double> Numbers(const NamedData& data) const;

private:
  // Of one dimension of what is selected from.
  struct Slab
  {
    std::uint64_t Start = 0, Stride = 1, Count = 1;
  };

  explicit XdmfItem(const XmlElement& element)
    : At(&element)
  {
  }

  static XdmfItem Make(
    const XmlElement&, const XdmfNames&, const NamedData&, bool selected, int depth);
  void MakeLiteral();
  void MakeStored(const XdmfNames&, const NamedData&, bool selected);
  void MakeSlab(const XdmfNames&, const NamedData&, int depth);
  void MakeFunction(const XdmfNames&, const NamedData&, int depth);
  void Select(const std::vector<std::uint64_t>& starts, const std::vector<std::uint64_t>& strides,
    const std::vector<std::uint64_t>& counts);
  std::vector<std::optional<std::size_t>> SlabsOf(const std::vector<std::uint64_t>& said) const;
  void SelectAlong(const std::vector<std::optional<std::size_t>>& slabs,
    const std::vector<std::uint64_t>& starts, const std::vector<std::uint64_t>& strides,
    const std::vector<std::uint64_t>& counts);
  std::vector<double> Chosen(const std::vector<double>& numbers) const;
  void CheckSaid() const;
  void Flatten();
  Source One(const XdmfLayout& layout, std::uint64_t components, std::vector<std::string>&) const;

  const XmlElement* At;
  std::variant<Stored, Literal> From = Literal{};
  std::vector<std::uint64_t> Whole; // of what is selected from
  std::vector<Slab> Slabs;          // as many
  std::vector<std::uint64_t> Said;
  double Scale = 1, Offset = 0;
  std::vector<XdmfItem> Added;
  std::vector<XdmfItem> Joined; // the components; then the rest is not used
};

/// The whole numbers of an attribute such as Dimensions="7 5 9". Throws dsm::Error(Usage).
std::vector<std::uint64_t> XdmfCounts(const XmlElement& element, const std::string& text);

/// The product. Throws dsm::Error(Usage) if there is no memory of that size.
std::uint64_t XdmfProduct(const XmlElement& element, const std::vector<std::uint64_t>& counts);

/// Children of that name, whatever case it is written in.
std::vector<const XmlElement*> XdmfChildren(const XmlElement& element, const std::string& name);

}
