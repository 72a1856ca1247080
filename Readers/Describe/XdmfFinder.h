// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Xdmf.h"

#include <hdf5.h>

#include <memory>
#include <optional>
#include <string>

namespace dsm::describe
{

/// A text that describes a file, and where it was found.
struct FoundXdmf
{
  std::string Rule; ///< to show to people
  std::shared_ptr<XdmfDocument> Text;

  /// Describes the file, which is open. Throws dsm::Error.
  Description Describe(
    hid_t file, const std::string& simulated, std::optional<std::size_t> step) const;
};

/// All of these take the absolute name of the file in the simulation, and throw dsm::Error for a
/// text that is no XDMF or describes other files.
FoundXdmf XdmfFromText(const std::string& text, const std::string& simulated);
FoundXdmf XdmfFromFile(const std::string& path, const std::string& simulated);

/// A text dataset or root attribute "Xdmf" of the file.
std::optional<FoundXdmf> XdmfInside(hid_t file, const std::string& simulated);

/// On disk beside the file: "out.xdmf", "out.h5.xdmf", for "out_0012.h5" also "out.xdmf", the same
/// with ".xmf". Not one that is incomplete, or describes other files.
std::optional<FoundXdmf> XdmfBeside(const std::string& simulated);

/// By what is inside the file, or else beside it.
std::optional<Description> RecogniseXdmf(
  hid_t file, const std::string& simulated, std::optional<std::size_t> step);

}
