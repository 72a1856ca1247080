// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/StrongType.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dsm
{

/// An absolute, lexically normal path: how a file is named in the snapshot table, whatever folder
/// the writer and the reader stand in. Does not touch the disk.
std::string AbsoluteName(const std::string& name);

/// Returns the path of a file below a folder; empty if the file is the folder or not in it.
/// Compares the names only.
std::string PathBelow(const std::string& folder, const std::string& file);

/// The path of a file that stands in another one's place until that is whole, in the same folder:
/// its name and a suffix, or a part of its name, a number and the suffix where that is longer than
/// names may be there. Asks the file system how long that is.
std::string NameBeside(const std::string& path, const std::string& suffix);

/// The end of a text that leaves so much room, as a name's beginning: never within a character of
/// UTF-8.
std::string Shortened(const std::string& text, std::size_t most);

/// True when the shell pattern fits the whole name or its last component ("*.h5", "out/*").
/// A pattern may list several, separated by ':'.
bool MatchesPattern(const std::string& pattern, const std::string& name);

/// A text with each of its numbers, fractions included ("4.25"), replaced by '#'.
std::string WithoutNumbers(std::string_view text);

/// Returns a name with every number in the last component, fractions included, replaced by '#', so
/// "out.00012.h5" and "out.00013.h5" share "out.#.h5". An extension's digits stay, also those of
/// "out.00012.h5.tmp".
std::string StreamName(const std::string& name);

/// A number in a name: "000004.25" is "000004" and "25".
struct NameNumber
{
  std::string Whole;
  std::string Fraction; ///< empty: there is no point

  bool operator==(const NameNumber&) const = default;
};

/// The last component of a name with the numbers that StreamName replaces: "s1/ez-4.25.p3.h5" is
/// "ez-", 4.25, ".p", 3, ".h5".
struct NumberedStem
{
  std::vector<std::string> Between; ///< one more than there are numbers
  std::vector<NameNumber> Numbers;

  explicit NumberedStem(const std::string& name);
};

/// A name with the numbers in it, of all its components: any run of digits but those of an
/// extension ("h5"). "s1/out.0012.p3.h5" is "s", 1, "/out.", 0012, ".p", 3, ".h5".
struct NumberedName
{
  std::vector<std::string> Between; ///< one more than there are numbers
  std::vector<std::string> Numbers; ///< as they stand there

  explicit NumberedName(const std::string& name);

  /// The name with something else for some of its numbers. `which`: one for each number.
  std::string With(const char* instead, const std::vector<bool>& which) const;
};

/// Returns the last number in the name's last component (12 for "out.00012.h5"). Fractions as in
/// Meep's "ez-000004.25.h5" count (4.25). NumberRoles knows better if it has seen other files.
std::optional<double> StepFromName(const std::string& name);

/// "run.dsm#12", the name under which any HDF5 reader opens snapshot 12.
std::string SnapshotName(const std::string& contactFile, SnapshotId number);

/// "run.dsm#Interactions", the name under which a program reads what it can be steered with.
std::string InteractionsName(const std::string& contactFile);

/// "run.dsm#latest", the name under which a program reads the newest snapshot there is.
std::string LatestName(const std::string& contactFile);

/// The inverse of SnapshotName; none when the name has no such form.
struct SnapshotReference
{
  std::string ContactFile;
  SnapshotId Number = 0;
};
std::optional<SnapshotReference> ParseSnapshotName(const std::string& name);

}
