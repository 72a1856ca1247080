// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Description.h"
#include "Describe/NamedData.h"
#include "Describe/XdmfNames.h"
#include "Describe/XmlTree.h"

#include <memory>
#include <optional>
#include <string>

namespace dsm::describe
{

/// A description in XDMF 2 or 3, and what it is to describe.
struct XdmfText
{
  XmlSource Source;
  std::string Folder;    ///< where relative names begin
  std::string Simulated; ///< the absolute name of the file in the simulation
};

/// Describes a file by a text in XDMF 2 or 3.
class XdmfDocument
{
public:
  /// Reads the text and what it includes. Throws dsm::Error if it is no XDMF, or does not refer to
  /// the file.
  XdmfDocument(const XdmfText& text, const XmlLoader& load);

  /// Nothing is read but the few numbers of a file that say where others lie; all that the text
  /// says of datasets is held against the file. `step`: of a file with several; none: the last.
  /// Throws dsm::Error.
  Description Describe(const NamedData& data, std::optional<std::size_t> step);

private:
  std::shared_ptr<const XmlElement> Root;
  XdmfNames Names;
};

}
