// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Hdf5File.h"

#include <array>
#include <string>

namespace dsm::readers
{

/// How a file's data is understood. The numbers are those of the proxies' property ReadAs.
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

/// What the user says about it.
struct Wishes
{
  Kind As = Kind::Automatic;
  std::string XdmfText; ///< a description in XDMF, or …
  std::string XdmfFile; ///< … the file that has it
  std::array<std::string, 3> CoordinateColumns;

  bool operator==(const Wishes&) const = default;
};

/// A file as a reader is given it.
struct FileNames
{
  std::string Opens;     ///< what HDF5 opens: "run.dsm#12", or a path
  std::string Simulated; ///< what the simulation called it; the same for a file on disk
};

/// What a file was recognised as.
struct Recognition
{
  Kind As = Kind::Automatic;
  std::string Why;  ///< for people
  std::string Xdmf; ///< the description, fitted to the file
};

/// Decides. Automatic prefers, in this order: a description in XDMF that the user gave; VTKHDF; a
/// description in the file itself, in a dataset or root attribute "Xdmf"; one beside the file on
/// disk, with the ending .xdmf or .xmf, that refers to it; points, where the largest data are
/// columns with coordinates among them; a table, where the largest data are columns; an image.
/// Throws dsm::Error.
Recognition Recognise(hid_t file, const FileNames& names, const Wishes& wishes);

}
