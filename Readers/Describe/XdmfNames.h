// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/XmlTree.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace dsm::describe
{

/// "out.h5:/u" in a DataItem.
struct XdmfReference
{
  std::string File; ///< as the text says it; empty: the file that is described
  std::string Path; ///< absolute, in the file
  /// Start, stride, count and shape as XDMF 3 may have them behind a '|'; empty without.
  std::string Selection;

  auto operator<=>(const XdmfReference&) const = default;
};

/// What a DataItem refers to; nothing: it refers to no HDF5 file.
std::optional<XdmfReference> ReferenceOf(const XmlElement& dataItem);

/// Which of the files that a text names is the one that is shown. It is called by the simulation's
/// name for it; where nothing has exactly that name, files of the same stream (their names differ
/// only in numbers) are meant, so that a text of one step serves for all.
class XdmfNames
{
public:
  /// `simulated`: the shown file's absolute name in the simulation. Relative names in the text are
  /// below `folder`. Elements are known by their addresses: the tree outlives this. Throws
  /// dsm::Error if the text names no such file.
  XdmfNames(const XmlElement& root, std::string simulated, std::string folder);

  /// Empty for the file that is shown; for another its absolute name.
  std::string FileOf(const XdmfReference& reference) const;

  /// Whether an element belongs to the file that is shown: of its references to files of that
  /// stream the newest is to the file (it may also refer to older ones, for the mesh). Also without
  /// references.
  bool BelongsToIt(const XmlElement& element);

  /// The datasets of the shown file that an element names.
  std::set<std::string> PathsIn(const XmlElement& element);

private:
  using References = std::set<XdmfReference>;

  // All below an element.
  const References& Below(const XmlElement& element);
  std::string AbsoluteOf(const std::string& file) const;
  std::optional<int> MatchLevel(const std::string& file) const;
  bool IsTarget(const std::string& file) const;

  std::string Simulated, Folder;
  int Best = 0;
  std::map<const XmlElement*, References> Known;
};

}
