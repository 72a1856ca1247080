// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace dsm
{

/// A file of a series, and its time.
struct SeriesStep
{
  std::string Path;
  double Time = 0;
};

/// The steps that paths name: HDF5 files, whose times are the numbers in their names or else count
/// them; or one file that ends with ".series", as Archive/SeriesFile writes it. By their times.
/// Throws Error(System) and Error(Usage).
std::vector<SeriesStep> StepsOf(const std::vector<std::string>& paths);

/// Makes a file that has the datasets of all steps, with one dimension more in front, the steps':
///
///     out.0001.h5:/u (7 x 9)   out.0002.h5:/u (7 x 9)   ->   all.h5:/u (2 x 7 x 9), all.h5:/time
///     (2)
///
/// They are virtual: the numbers stay in the steps' files, which the new file finds beside itself
/// where they lie in its folder, or below. Any HDF5 from 1.10 on reads it, with any number of
/// ranks. It appears whole or not at all.
///
/// Returns what it does not have, a line each: datasets that are not of the same type and shape in
/// all steps, or of a kind that cannot be virtual. Throws Error(System), and Error(Usage) when no
/// dataset is left.
std::vector<std::string> WriteVirtualSeries(
  const std::string& path, const std::vector<SeriesStep>& steps);

}
