// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5Handle.h"
#include "Describe/Numbers.h"
#include "Describe/Source.h"
#include "Describe/StoredDataset.h"
#include "Describe/Window.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dsm::describe
{

/// Reads what sources say, in the order of memory. Where the file has that order, HDF5 reads into
/// the target itself; else by slabs of bounded size, from which the numbers are put in place.
class SourceReader
{
public:
  /// Of an open file, which must stay open.
  explicit SourceReader(hid_t file);

  /// The type that holds the source's numbers. Throws dsm::Error, as Read does.
  Number TypeOf(const Source& source);

  /// The type for sources that become one array.
  Number TypeOf(const std::vector<Source>& sources);

  /// Returns where the numbers of a source lie in a file as Read would put them, one after the
  /// other from the target's beginning. Its Why says why they do not.
  StoredDataset::Place PlaceOf(const Source& source, const Window& window, Number as);

  /// All that is wanted of one source.
  void Read(const Source& source, const Window& window, const Target& target);

  /// A few numbers of one source, in its order of tuples.
  std::vector<double> Numbers(const Source& source, const Window& window);
  std::vector<std::int64_t> Integers(const Source& source, const Window& window);

private:
  hid_t FileNamed(const std::string& name);
  const StoredDataset& Open(const Stored& from);
  void ReadStored(const Source& source, const Window& window, const Target& target, bool add);
  void ReadOne(const Source& source, const Window& window, const Target& target, bool add);

  hid_t File;
  std::map<std::string, hdf5::FileHandle> Others;
  std::map<std::pair<std::string, std::string>, StoredDataset>
    Datasets; ///< by file, path and member
};

}
