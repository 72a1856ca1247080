// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Error.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace dsm::describe
{

/// Thrown if the XML library cannot be loaded.
class NoXmlLibrary final : public Error
{
public:
  using Error::Error;
};

/// An element of an XML text. What a text includes or refers to in several places is one element
/// here, too: nothing is copied, and what is the same has the same address.
struct XmlElement
{
  std::string Name;                              ///< without a prefix
  std::map<std::string, std::string> Attributes; ///< by their names in lower case, without prefixes
  std::string Text;                              ///< all that stands directly in it, trimmed
  std::vector<std::shared_ptr<const XmlElement>> Children;
  std::string Where; ///< for messages: "out.xmf, line 12"

  /// An attribute by its name in lower case; empty if there is none.
  const std::string& operator[](const std::string& attribute) const;

  /// "the Grid "mesh" (out.xmf, line 12)".
  std::string Told() const;
};

/// Where a text comes from.
struct XmlSource
{
  std::string Name; ///< for messages
  std::string Text;
};

/// The text of a file that another includes: by the name that stands there, and the name of the
/// text in which it does. Throws dsm::Error.
using XmlLoader = std::function<XmlSource(const std::string& name, const std::string& from)>;

/// What a text may need before it is refused.
struct XmlLimits
{
  std::uint64_t Bytes = 256U << 20U;  ///< of all texts together
  std::uint64_t Elements = 4'000'000; ///< with what is included counted wherever it is
  int Depth = 200;
};

/// Reads a text, with what it includes from itself and from other files (xi:include, by XPath in
/// xpointer(), by element()), and with elements that are given by reference to others
/// (Reference="XPath", or Reference="XML" and the path as text). Nothing else is ever opened: no
/// DTD, no entity from outside, no network. Throws dsm::Error.
std::shared_ptr<const XmlElement> ParseXml(
  const XmlSource& source, const XmlLoader& load, const XmlLimits& limits = {});

}
