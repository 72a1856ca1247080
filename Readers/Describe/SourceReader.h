// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5Handle.h"
#include "Describe/Numbers.h"
#include "Describe/Source.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dsm::describe
{

/// A run of indices.
struct Range
{
  std::uint64_t First = 0;
  std::uint64_t Count = 1;

  bool operator==(const Range&) const = default;
};

/// What is wanted of a source: a run along each of its part's roles. Components always come all.
struct Window
{
  Range X = {}, Y = {}, Z = {}, Index = {};
  std::uint64_t Block = 0;

  /// How many tuples these are.
  std::uint64_t Tuples() const;
};

/// Where numbers go in memory: tuples of Components numbers each, X fastest, then Y and Z; the
/// source's first component becomes that at First.
struct Target
{
  void* To = nullptr;
  Number Type = Number::Float64;
  std::uint64_t Components = 1;
  std::uint64_t First = 0;
};

/// Reads what sources say, in the order of memory. Where the file has that order, HDF5 reads into
/// the target itself; else by slabs of bounded size, from which the numbers are put in place.
class SourceReader
{
public:
  /// Of an open file, which must stay open.
  explicit SourceReader(hid_t file);

  /// Of the source's dimensions with the role Component; 1 if it has none.
  static std::uint64_t ComponentsOf(const Source& source);

  /// The type that holds the source's numbers. Throws dsm::Error, as Read does.
  Number TypeOf(const Source& source);

  /// The type for sources that become one array.
  Number TypeOf(const std::vector<Source>& sources);

  /// All that is wanted of one source.
  void Read(const Source& source, const Window& window, const Target& target);

  /// A few numbers of one source, in its order of tuples.
  std::vector<double> Numbers(const Source& source, const Window& window);
  std::vector<std::int64_t> Integers(const Source& source, const Window& window);

private:
  struct Dataset
  {
    hdf5::DatasetHandle Id;
    hdf5::TypeHandle Type; ///< of a number: of the member, for a compound; of an array's element
    std::vector<hsize_t> Array; ///< the shape of an element that is an array
    std::vector<hsize_t> Shape; ///< that of the array is its end
    std::vector<hsize_t> Chunk; ///< empty: not in chunks
  };

  hid_t FileNamed(const std::string& name);
  const Dataset& Open(const Stored& from);
  void ReadStored(const Source& source, const Window& window, const Target& target, bool add);
  void ReadOne(const Source& source, const Window& window, const Target& target, bool add);

  hid_t File;
  std::map<std::string, hdf5::FileHandle> Others;
  std::map<std::pair<std::string, std::string>, Dataset> Datasets; ///< by file, path and member
};

}
