// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5Facts.h"
#include "Describe/Overrides.h"

#include <array>
#include <optional>
#include <string>

namespace dsm::readers
{

/// The kinds of files. The numbers are those of the proxies' property ReadAs.
enum class Kind
{
  Automatic = 0,
  VtkHdf = 1,
  Xdmf = 2,
  Image = 3,
  Table = 4,
  Points = 5
};

const char* KindName(Kind kind);

/// What the user has set about it.
struct ReadOptions
{
  Kind As = Kind::Automatic;
  std::string XdmfText; ///< a description in XDMF, or else
  std::string XdmfFile; ///< a file with one
  std::array<std::string, 3> CoordinateColumns = {};
  bool StepGroups = true;      ///< of plain files: see describe::PlainChoice
  bool GridCoordinates = true; ///< likewise
  std::string RecipeText = {}; ///< a recipe, or else
  std::string RecipeFile = {}; ///< a file with one
  describe::Overrides Set = {};

  bool operator==(const ReadOptions&) const = default;
};

/// The names of a file.
struct FileNames
{
  std::string Opens;     ///< for HDF5: "run.dsm#12", or a path
  std::string Simulated; ///< of the simulation; the same for a file on disk
};

/// What a file was recognised as.
struct Recognition
{
  Kind As = Kind::Automatic;
  std::string Why; ///< to show to the user
  /// What it holds, where our own reader shows it, and how to find that out for another step.
  std::optional<describe::Description> Holds = std::nullopt;
  describe::Describer Describe = {};
  /// Arrays that another reader must not read, if ours does not show it.
  std::vector<describe::LeftOut> Left = {};

  /// Of the kind, or of the format where that says more.
  std::string Name() const;
};

/// Decides how to read a file. Automatic takes the first of these that applies: a recipe that the
/// user has set; an XDMF description that the user has set; VTKHDF; a description in the file
/// itself, in a dataset or root attribute "Xdmf"; one beside the file on disk, ending in .xdmf or
/// .xmf, that refers to the file; a format that a recogniser knows; what shapes and names tell (see
/// describe::DescribePlain), to which alone columns for coordinates lead, if the user has set some.
/// What is set of the rest is put in place of what was assumed, of any file that is described.
/// VTKHDF is checked (describe::CheckVtkHdf). If there is nothing in the file yet, the result holds
/// a description that is empty. Throws dsm::Error.
Recognition Recognise(hid_t file, const FileNames& names, const ReadOptions& options);

}
