// SPDX-License-Identifier: BSD-3-Clause
#include "Plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace selections
{

namespace
{

const char* AllocationName(H5D_alloc_time_t when)
{
  return when == H5D_ALLOC_TIME_EARLY ? "early"
    : when == H5D_ALLOC_TIME_LATE     ? "late"
    : when == H5D_ALLOC_TIME_INCR     ? "incremental"
                                      : "default";
}

const char* FillTimeName(H5D_fill_time_t when)
{
  return when == H5D_FILL_TIME_ALLOC ? "alloc" : when == H5D_FILL_TIME_NEVER ? "never" : "ifset";
}

const char* FillName(FillValue fill)
{
  return fill == FillValue::Given  ? "given"
    : fill == FillValue::Undefined ? "undefined"
                                   : "default";
}

std::string MostText(const Place& most)
{
  std::vector<std::string> words;
  for (const hsize_t size : most)
  {
    words.push_back(size == H5S_UNLIMITED ? "unlimited" : std::to_string(size));
  }
  return fmt::format("{}", fmt::join(words, "x"));
}

}

bool DatasetPlan::KnowsUnwritten() const
{
  return this->FillTime != H5D_FILL_TIME_NEVER && this->Fill != FillValue::Undefined &&
    (this->FillTime == H5D_FILL_TIME_ALLOC || this->Fill == FillValue::Given);
}

bool DatasetPlan::ReadsTheSameTwice() const
{
  return !this->Filtered() ||
    (this->FillTime != H5D_FILL_TIME_NEVER && this->Fill != FillValue::Undefined);
}

std::string Text(const DatasetPlan& dataset)
{
  std::string text = fmt::format("dataset {}: {} of {} bytes{}{}", dataset.Name,
    Text(dataset.Extent), dataset.Type.Size, dataset.Type.Integer ? "" : ", opaque",
    dataset.Type.Swapped ? ", swapped in the file" : "");
  text += dataset.Chunk.empty()
    ? ", contiguous"
    : fmt::format(", chunks {}, up to {}", Text(dataset.Chunk), MostText(dataset.Most));
  text += dataset.Shuffle ? ", shuffle" : "";
  text += dataset.Deflate ? ", deflate" : "";
  text += dataset.Checksum ? ", fletcher32" : "";
  text += dataset.WholeEdge ? ", edges unfiltered" : "";
  return text +
    fmt::format(", allocation {}, fill value {} at {}", AllocationName(dataset.Allocation),
      FillName(dataset.Fill), FillTimeName(dataset.FillTime));
}

std::string Text(const Step& step)
{
  if (step.What == Action::Flush)
  {
    return "flush";
  }
  if (step.What == Action::Resize)
  {
    return fmt::format("resize dataset {} to {}", step.Dataset, Text(step.Extent));
  }
  std::string text =
    fmt::format("{} {}{}{}, mode {}", step.Collective ? "collective" : "independent",
      step.What == Action::Write ? "write" : "read", step.IndividualIo ? ", individual I/O" : "",
      step.SelectionIo == H5D_SELECTION_IO_MODE_OFF    ? ", without selection I/O"
        : step.SelectionIo == H5D_SELECTION_IO_MODE_ON ? ", with selection I/O"
                                                       : "",
      dsm::TransferModeText(step.Mode));
  for (const DatasetMove& move : step.Moves)
  {
    for (std::size_t rank = 0; rank < move.Parts.size(); ++rank)
    {
      const Part& part = move.Parts[rank];
      text += fmt::format(
        "\n      dataset {}, rank {}: {} elements\n        file: {}\n        memory: {}",
        move.Dataset, rank, part.File.Elements().size(), part.File.ToText(),
        part.MemoryAsFile ? "as the file" : part.Memory.ToText());
    }
  }
  return text;
}

std::string Plan::ToText() const
{
  std::string text = fmt::format(
    "case {}\n  map: {}, blocks of {} bytes, {} in a cycle, seed {}\n  file: user block {}, "
    "alignment {} from {} bytes on{}\n",
    this->Number, this->Map.Strategy, this->Map.BlockSize, this->Map.BlocksPerCycle, this->Map.Seed,
    this->File.UserBlock, this->File.Alignment, this->File.AlignmentThreshold,
    this->File.LatestFormat ? ", latest format" : "");
  for (std::size_t i = 0; i < this->Datasets.size(); ++i)
  {
    text += fmt::format("  {}: {}\n", i, Text(this->Datasets[i]));
  }
  for (const Session& session : this->Sessions)
  {
    text += fmt::format("  {} by {}{}{}\n",
      session.Create       ? "created"
        : session.ReadOnly ? "read"
                           : "opened again",
      session.ByHosts
        ? "the hosts"
        : fmt::format("ranks {} to {}", session.FirstRank, session.FirstRank + session.Ranks - 1),
      session.CollectiveMetadata ? ", collective metadata" : "",
      session.Creates.empty()
        ? ""
        : fmt::format("; makes datasets {}", fmt::join(session.Creates, ", ")));
    for (std::size_t i = 0; i < session.Steps.size(); ++i)
    {
      text += fmt::format("    step {}: {}\n", i, Text(session.Steps[i]));
    }
  }
  return text;
}

}
