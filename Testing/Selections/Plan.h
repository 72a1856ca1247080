// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Driver/TransferMode.h"
#include "Selection.h"

#include <cstdint>
#include <string>
#include <vector>

namespace selections
{

/// What elements are: of `Size` bytes, opaque or integers; `Swapped` integers have another byte
/// order in the file than in memory, so that HDF5 converts them on the way.
struct ElementType
{
  hsize_t Size = 4;
  bool Integer = true;
  bool Swapped = false;
};

enum class FillValue
{
  Default,
  Given,    ///< some bytes other than zero
  Undefined ///< HDF5 is told that there is none
};

struct DatasetPlan
{
  std::string Name;
  ElementType Type;
  Place Extent;
  Place Most;             ///< what it may be extended to
  Place Chunk;            ///< empty: contiguous
  bool WholeEdge = false; ///< chunks at the edges are not filtered
  bool Shuffle = false;
  bool Deflate = false;
  bool Checksum = false;
  H5D_alloc_time_t Allocation = H5D_ALLOC_TIME_DEFAULT;
  FillValue Fill = FillValue::Default;
  H5D_fill_time_t FillTime = H5D_FILL_TIME_IFSET;

  bool Filtered() const { return this->Shuffle || this->Deflate || this->Checksum; }
  /// Whether HDF5 promises what is read where nothing was written.
  bool KnowsUnwritten() const;
  /// Whether reading twice gives the same: not where a chunk may be missing that nothing fills, for
  /// which HDF5 gives whatever its memory has.
  bool ReadsTheSameTwice() const;
};

/// What one rank moves of one dataset.
struct Part
{
  Selection File;
  Selection Memory;          ///< as many elements
  bool MemoryAsFile = false; ///< HDF5 is given H5S_ALL for the memory
};

/// What all ranks move of one dataset in one call.
struct DatasetMove
{
  std::size_t Dataset = 0;
  std::vector<Part> Parts; ///< one per rank
};

enum class Action
{
  Write,
  Read,
  Resize,
  Flush
};

/// One thing that all ranks of a session do.
struct Step
{
  Action What = Action::Write;

  /// \name Of Write and Read
  ///@{
  std::vector<DatasetMove> Moves; ///< several: H5Dwrite_multi, H5Dread_multi
  bool Collective = true;
  bool IndividualIo = false; ///< a collective call of independent transfers
  H5D_selection_io_mode_t SelectionIo = H5D_SELECTION_IO_MODE_DEFAULT;
  dsm::TransferMode Mode = dsm::TransferMode::Automatic; ///< in memory
  std::uint64_t Values = 0;                              ///< from which written bytes follow
  ///@}

  /// \name Of Resize
  ///@{
  std::size_t Dataset = 0;
  Place Extent;
  ///@}
};

/// A file is opened, used and closed by some ranks.
struct Session
{
  int FirstRank = 0;
  int Ranks = 1;
  bool Create = false;
  bool ReadOnly = false;
  bool ByHosts = false; ///< the hosts' ranks, which read the snapshot
  bool CollectiveMetadata = false;
  std::vector<std::size_t> Creates; ///< datasets that are made first
  std::vector<Step> Steps;
};

struct FileSettings
{
  hsize_t UserBlock = 0;
  hsize_t AlignmentThreshold = 1;
  hsize_t Alignment = 1;
  bool LatestFormat = false;
};

/// How files lie over the hosts.
struct MapPlan
{
  std::string Strategy;
  std::uint64_t BlockSize = 0;
  std::uint64_t BlocksPerCycle = 0;
  std::uint64_t Seed = 0;
};

/// A case: a file's whole life.
struct Plan
{
  std::uint64_t Number = 0;
  MapPlan Map;
  FileSettings File;
  std::vector<DatasetPlan> Datasets;
  std::vector<Session> Sessions;

  std::string ToText() const;
};

/// One line each.
std::string Text(const DatasetPlan& dataset);
std::string Text(const Step& step);

}
