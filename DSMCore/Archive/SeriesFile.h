// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/Descriptions.h"

#include <string>
#include <vector>

namespace dsm
{

class Fields;

/// Which files in a folder are the steps of a stream, and at which times, so that ParaView opens
/// them as one animation. It is a file itself ("file series"), in JSON:
///
///     out.0001.vtkhdf  out.0002.vtkhdf  and  out.vtkhdf.series, which names both
class SeriesFile
{
public:
  /// The one of a snapshot's stream, in a folder: "out.vtkhdf.series" for "out.#.vtkhdf".
  static std::string PathIn(const std::string& folder, const SnapshotDescription& snapshot);

  /// What is there already counts as well. Throws Error(Refused) when that is something else.
  explicit SeriesFile(std::string path);

  /// A file beside it. One that it has already gets that time.
  void Add(const std::string& name, double time);

  /// Takes a file out, if it is one of them.
  void Remove(const std::string& name);

  /// Whole, or it stays as it was. Removes it when it names no file. Throws Error(System).
  void Write() const;

private:
  struct Step
  {
    std::string Name;
    double Time = 0;
  };

  void Visit(Fields& fields);

  std::string Path;
  std::vector<Step> Steps; ///< by their times
};

}
