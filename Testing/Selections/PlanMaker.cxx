// SPDX-License-Identifier: BSD-3-Clause
#include "PlanMaker.h"

#include "SelectionMaker.h"

#include <algorithm>

namespace selections
{

namespace
{

constexpr hsize_t MostElements = 3000;
/// HDF5 has all ranks come together for each chunk that is filtered.
constexpr hsize_t MostChunks = 200;
constexpr hsize_t MostFilteredChunks = 30;

hsize_t RoundUp(hsize_t value, hsize_t by)
{
  return (value + by - 1) / by;
}

hsize_t ChunksOf(const Place& extent, const Place& chunk)
{
  hsize_t chunks = 1;
  for (std::size_t d = 0; d < extent.size(); ++d)
  {
    chunks *= RoundUp(extent[d], chunk[d]);
  }
  return chunks;
}

/// One case, as it is made: knows how large each dataset is by then.
class Maker
{
public:
  Maker(const PlanMaker::Settings& settings, std::uint64_t number)
    : Given(settings)
    , Numbers(Mix(settings.Seed) ^ Mix(~number))
    , ModeNumbers(Mix(settings.Seed) ^ Mix(number))
    , Selections(this->Numbers)
  {
    this->Made.Number = number;
  }

  Plan Make()
  {
    this->ChooseMap();
    this->ChooseFile();
    const std::uint64_t datasets = this->Numbers.Between(1, 3);
    for (std::uint64_t i = 0; i < datasets; ++i)
    {
      this->Made.Datasets.push_back(this->ChooseDataset());
      const DatasetPlan& made = this->Made.Datasets.back();
      this->Now.push_back(made.Extent);
      // Parallel HDF5 allocates all at once but what is filtered.
      this->HasSpace.push_back(!made.Filtered() || made.Allocation == H5D_ALLOC_TIME_EARLY);
    }
    Session first = this->WithSomeWriters();
    first.Create = true;
    // One is perhaps made when the file is opened again.
    const bool goesOn = this->Numbers.Chance(40);
    const bool later = goesOn && datasets > 1 && this->Numbers.Chance(50);
    for (std::size_t i = 0; i + (later ? 1 : 0) < datasets; ++i)
    {
      first.Creates.push_back(i);
    }
    this->AddSteps(first);
    this->Made.Sessions.push_back(first);
    if (goesOn)
    {
      Session again = this->WithSomeWriters();
      if (later)
      {
        again.Creates.push_back(datasets - 1);
      }
      this->AddSteps(again);
      this->Made.Sessions.push_back(again);
      this->Made.File.UserBlock = 0; // with one, a file that is closed goes on on disk
    }
    Session readers = this->WithSomeWriters();
    readers.ReadOnly = true;
    this->AddReads(readers);
    this->Made.Sessions.push_back(readers);
    Session hosts;
    hosts.ByHosts = true;
    hosts.ReadOnly = true;
    hosts.Ranks = this->Given.Hosts;
    this->AddReads(hosts);
    this->Made.Sessions.push_back(hosts);
    return this->Made;
  }

private:
  void ChooseMap()
  {
    MapPlan& map = this->Made.Map;
    map.Strategy = this->Numbers.Of(this->Given.Strategies);
    // Most pieces lie on several hosts.
    map.BlockSize = this->Numbers.Of(std::vector<std::uint64_t>{ 16, 48, 100, 512, 4096, 10000 });
    map.BlocksPerCycle = this->Numbers.Chance(50) ? 0 : this->Numbers.Between(1, 7);
    map.Seed = this->Numbers.Below(1000);
  }

  void ChooseFile()
  {
    FileSettings& file = this->Made.File;
    if (this->Numbers.Chance(25))
    {
      file.UserBlock = this->Numbers.Of(std::vector<hsize_t>{ 512, 1024, 4096 });
    }
    if (this->Numbers.Chance(30))
    {
      file.AlignmentThreshold = this->Numbers.Of(std::vector<hsize_t>{ 0, 100, 1000 });
      // HDF5 wants a user block to be aligned as well.
      file.Alignment =
        this->Numbers.Of(file.UserBlock > 0 ? std::vector<hsize_t>{ 2, 64, 512 }
                                            : std::vector<hsize_t>{ 3, 64, 512, 4096 });
    }
    file.LatestFormat = this->Numbers.Chance(50);
  }

  DatasetPlan ChooseDataset()
  {
    DatasetPlan made;
    made.Name = "dataset " + std::string(this->Made.Datasets.size() * 7 + 1, 'x');
    made.Type.Integer = this->Numbers.Chance(70);
    made.Type.Size = made.Type.Integer ? hsize_t{ 1 } << this->Numbers.Below(4)
                                       : this->Numbers.Of(std::vector<hsize_t>{ 1, 3, 7, 24, 100 });
    made.Type.Swapped = made.Type.Integer && made.Type.Size > 1 && this->Numbers.Chance(15);
    made.Extent = this->ChooseExtent();
    made.Most = made.Extent;
    if (this->Numbers.Chance(65))
    {
      this->ChooseChunks(made);
    }
    made.Allocation = this->Numbers.Of(std::vector{
      H5D_ALLOC_TIME_DEFAULT, H5D_ALLOC_TIME_EARLY, H5D_ALLOC_TIME_LATE, H5D_ALLOC_TIME_INCR });
    if (made.Chunk.empty() && made.Allocation == H5D_ALLOC_TIME_INCR)
    {
      made.Allocation = H5D_ALLOC_TIME_DEFAULT; // of chunks only
    }
    made.Fill = this->Numbers.Of(
      std::vector{ FillValue::Default, FillValue::Given, FillValue::Given, FillValue::Undefined });
    made.FillTime = this->Numbers.Of(std::vector{
      H5D_FILL_TIME_IFSET, H5D_FILL_TIME_IFSET, H5D_FILL_TIME_ALLOC, H5D_FILL_TIME_NEVER });
    if (made.Fill == FillValue::Undefined && made.FillTime == H5D_FILL_TIME_ALLOC)
    {
      made.FillTime = H5D_FILL_TIME_IFSET; // HDF5 refuses it
    }
    if (made.Filtered())
    {
      // HDF5 refuses to read what nobody wrote, and to convert what is filtered.
      made.FillTime = made.Fill == FillValue::Undefined ? H5D_FILL_TIME_NEVER : made.FillTime;
      made.Type.Swapped = false;
    }
    return made;
  }

  Place ChooseExtent()
  {
    Place extent(this->Numbers.Between(1, 4), 1);
    const hsize_t elements = this->Numbers.Chance(20) ? this->Numbers.Between(1, 20)
                                                      : this->Numbers.Between(20, MostElements);
    hsize_t left = elements;
    for (std::size_t d = 0; d + 1 < extent.size(); ++d)
    {
      hsize_t most = 1;
      while (most * most * most < left)
      {
        ++most;
      }
      extent[d] = this->Numbers.Between(1, most * 2);
      left = std::max<hsize_t>(left / extent[d], 1);
    }
    extent.back() = left;
    this->Numbers.Shuffle(extent);
    return extent;
  }

  void ChooseChunks(DatasetPlan& made)
  {
    if (this->Numbers.Chance(40))
    {
      made.Shuffle = this->Numbers.Chance(40);
      made.Deflate = this->Numbers.Chance(70);
      made.Checksum = this->Numbers.Chance(30);
    }
    made.Chunk = made.Extent;
    for (hsize_t& size : made.Chunk)
    {
      size = this->Numbers.Between(1, this->Numbers.Chance(20) ? size : std::min<hsize_t>(size, 8));
    }
    const hsize_t most = made.Filtered() ? MostFilteredChunks : MostChunks;
    for (std::size_t d = 0; ChunksOf(made.Extent, made.Chunk) > most;
      d = (d + 1) % made.Chunk.size())
    {
      made.Chunk[d] = std::min(made.Chunk[d] * 2, made.Extent[d]);
    }
    made.WholeEdge = this->Made.File.LatestFormat && made.Filtered() && this->Numbers.Chance(20);
    const std::uint64_t grows = this->Numbers.Below(4);
    for (std::size_t d = 0; d < made.Most.size(); ++d)
    {
      const bool may =
        grows == 3 || (grows == 1 && d == 0) || (grows == 2 && this->Numbers.Chance(50));
      if (may)
      {
        // HDF5 mixes up the chunks of what is filtered and has a limit that it has not reached.
        const bool limited = !made.Filtered() && this->Numbers.Chance(30);
        made.Most[d] = limited ? made.Extent[d] * 2 : H5S_UNLIMITED;
      }
    }
  }

  Session WithSomeWriters()
  {
    Session made;
    made.Ranks =
      static_cast<int>(this->Numbers.Between(1, static_cast<std::uint64_t>(this->Given.Writers)));
    // Mostly all: with one rank there is little to agree on.
    if (this->Numbers.Chance(50))
    {
      made.Ranks = this->Given.Writers;
    }
    const int places = this->Given.Writers - made.Ranks + 1;
    made.FirstRank = static_cast<int>(this->Numbers.Below(static_cast<std::uint64_t>(places)));
    made.CollectiveMetadata = this->Numbers.Chance(30);
    return made;
  }

  void AddSteps(Session& session)
  {
    std::vector<std::size_t> there = session.Creates;
    for (const Session& before : this->Made.Sessions)
    {
      there.insert(there.end(), before.Creates.begin(), before.Creates.end());
    }
    const std::uint64_t steps = this->Numbers.Between(1, 4);
    for (std::uint64_t i = 0; i < steps; ++i)
    {
      const std::size_t dataset = this->Numbers.Of(there);
      const std::uint64_t what = this->Numbers.Below(10);
      if (what == 0)
      {
        session.Steps.emplace_back().What = Action::Flush;
      }
      else if (what < 3 && this->MayResize(dataset))
      {
        session.Steps.push_back(this->Resize(dataset));
      }
      else if (what == 3)
      {
        session.Steps.push_back(this->Read(session.Ranks, there));
      }
      else
      {
        session.Steps.push_back(this->Write(session.Ranks, there));
      }
    }
  }

  void AddReads(Session& session)
  {
    std::vector<std::size_t> all(this->Made.Datasets.size());
    for (std::size_t i = 0; i < all.size(); ++i)
    {
      all[i] = i;
      session.Steps.push_back(this->Read(session.Ranks, { i }));
    }
    if (all.size() > 1 && this->Numbers.Chance(30))
    {
      session.Steps.push_back(this->Read(session.Ranks, all));
    }
  }

  // What is filtered not: HDF5 takes chunks for others when it writes them afterwards.
  bool MayResize(std::size_t dataset) const
  {
    const DatasetPlan& plan = this->Made.Datasets[dataset];
    return plan.Most != plan.Extent && !plan.Filtered();
  }

  // Larger or smaller: HDF5 loses chunks where one dimension grows and another shrinks at once.
  Step Resize(std::size_t dataset)
  {
    const DatasetPlan& plan = this->Made.Datasets[dataset];
    Step made;
    made.What = Action::Resize;
    made.Dataset = dataset;
    made.Extent = this->Now[dataset];
    const bool grows = this->Numbers.Chance(70);
    for (std::size_t d = 0; d < made.Extent.size(); ++d)
    {
      if (plan.Most[d] > plan.Extent[d])
      {
        hsize_t& size = made.Extent[d];
        const hsize_t most = std::max(size, std::min(plan.Most[d], plan.Extent[d] * 2 + 1));
        size = grows ? this->Numbers.Between(size, most) : this->Numbers.Between(1, size);
      }
    }
    this->Now[dataset] = made.Extent;
    return made;
  }

  // Of one of these datasets, or of several in one call.
  std::vector<std::size_t> ChooseDatasets(const std::vector<std::size_t>& there)
  {
    std::vector<std::size_t> chosen = there;
    this->Numbers.Shuffle(chosen);
    if (!this->Numbers.Chance(15))
    {
      chosen.resize(1);
    }
    return chosen;
  }

  void ChooseTransfer(Step& made)
  {
    made.Collective = this->Numbers.Chance(60);
    made.IndividualIo = made.Collective && this->Numbers.Chance(10);
    made.SelectionIo = this->Numbers.Chance(15) ? H5D_SELECTION_IO_MODE_OFF
      : this->Numbers.Chance(15)                ? H5D_SELECTION_IO_MODE_ON
                                                : H5D_SELECTION_IO_MODE_DEFAULT;
    made.Mode = this->ModeNumbers.Of(this->Given.Modes);
  }

  // What is moved of a dataset, with a buffer for it.
  Part WithMemory(std::size_t dataset, const Selection& file)
  {
    const Place& chunk = this->Made.Datasets[dataset].Chunk;
    Part made;
    made.File = file;
    if (!chunk.empty() && !file.IsFoundInChunks(chunk))
    {
      made.File = { Selection::Kind::None, file.Extent, {}, {} };
    }
    made.MemoryAsFile = made.File.Is != Selection::Kind::None && this->Numbers.Chance(15);
    made.Memory =
      made.MemoryAsFile ? made.File : this->Selections.OfSize(made.File.Elements().size());
    return made;
  }

  Step Write(int ranks, const std::vector<std::size_t>& there)
  {
    Step made;
    made.What = Action::Write;
    made.Values = this->Numbers.Next();
    this->ChooseTransfer(made);
    std::vector<std::size_t> chosen = this->ChooseDatasets(there);
    const auto any = [&](const auto& is)
    {
      return std::any_of(chosen.begin(), chosen.end(),
        [&](std::size_t dataset) { return is(this->Made.Datasets[dataset]); });
    };
    if (any([](const DatasetPlan& plan) { return plan.Filtered(); }))
    {
      made.Collective = true; // HDF5 wants that
      chosen.resize(1);       // and mixes up the chunks of several datasets
    }
    for (const std::size_t dataset : chosen)
    {
      DatasetMove& move = made.Moves.emplace_back();
      move.Dataset = dataset;
      for (const Selection& file : this->Selections.Disjoint(this->Now[dataset], ranks))
      {
        move.Parts.push_back(this->WithMemory(dataset, file));
        if (!move.Parts.back().File.Elements().empty())
        {
          this->HasSpace[dataset] = true;
        }
      }
    }
    return made;
  }

  Step Read(int ranks, const std::vector<std::size_t>& there)
  {
    Step made;
    made.What = Action::Read;
    this->ChooseTransfer(made);
    for (const std::size_t dataset : this->ChooseDatasets(there))
    {
      DatasetMove& move = made.Moves.emplace_back();
      move.Dataset = dataset;
      for (int rank = 0; rank < ranks; ++rank)
      {
        move.Parts.push_back(this->WithMemory(dataset, this->Selections.Any(this->Now[dataset])));
      }
      // HDF5 hangs: where a dataset has no space yet, a rank with something to read takes the fill
      // value and goes on, and one with nothing waits for it (H5D__read).
      made.Collective = made.Collective && this->HasSpace[dataset];
    }
    return made;
  }

  const PlanMaker::Settings& Given;
  Random Numbers;
  Random ModeNumbers; ///< by itself, so that a case is the same whatever the modes
  SelectionMaker Selections;
  Plan Made;
  std::vector<Place> Now;     ///< the datasets' extents after the steps made so far
  std::vector<bool> HasSpace; ///< and whether they have space in the file
};

}

PlanMaker::PlanMaker(const Settings& settings)
  : Given(settings)
{
}

Plan PlanMaker::Make(std::uint64_t number) const
{
  return Maker(this->Given, number).Make();
}

}
