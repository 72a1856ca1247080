// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/Perf/PerfMeasurement.h"

#include "Base/Clock.h"
#include "Base/Error.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <numeric>

#include <unistd.h>

namespace dsm::perf
{

namespace
{
constexpr double Million = 1e6;

double Since(Clock::time_point begin)
{
  return Seconds(Clock::now() - begin).count();
}

Rates RatesOf(const std::vector<double>& seconds, std::uint64_t bytes)
{
  std::vector<double> rates;
  rates.reserve(seconds.size());
  for (const double one : seconds)
  {
    rates.push_back(one > 0 ? static_cast<double>(bytes) / one / Million : 0);
  }
  if (rates.empty())
  {
    return {};
  }
  const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
  const double sum = std::accumulate(rates.begin(), rates.end(), 0.0);
  return { *least, sum / static_cast<double>(rates.size()), *most };
}
}

PerfMeasurement::PerfMeasurement(const PerfSettings& settings, const Communicator& team)
  : Settings(settings)
  , Team(team)
{
}

// Every block begins with where it belongs, so that one in another's place is found out.
void PerfMeasurement::Fill(const Blocks& blocks, int dataset)
{
  for (std::uint64_t block = 0; block < blocks.Count; ++block)
  {
    const std::uint64_t place =
      blocks.BeginOf(block) * 1000003 + static_cast<std::uint64_t>(dataset);
    std::memcpy(this->Written.data() + block * blocks.Size, &place,
      std::min<std::uint64_t>(sizeof place, blocks.Size));
  }
}

void PerfMeasurement::Compare(const Blocks& blocks, const std::string& file, int dataset)
{
  this->Fill(blocks, dataset);
  if (std::memcmp(this->Got.data(), this->Written.data(), blocks.Bytes()) != 0)
  {
    throw Error(Fault::System,
      "{}: what was read of dataset {} from byte {} on is not what was written there", file,
      dataset, blocks.Begin);
  }
}

PerfMeasurement::Spent PerfMeasurement::Pass(
  AccessMethod& method, const PerfPattern& pattern, const std::string& file, bool writing)
{
  double moving = 0;
  double aside = 0; // for what a program that wants the bytes would not do
  this->Team.Barrier();
  const auto begin = Clock::now();
  writing ? method.Create(file) : method.OpenToRead(file);
  for (int dataset = 0; dataset < this->Settings.Datasets; ++dataset)
  {
    method.BeginDataset(dataset);
    for (std::uint64_t call = 0; call < pattern.Calls(); ++call)
    {
      const Blocks blocks = pattern.At(call);
      auto from = Clock::now();
      if (writing)
      {
        this->Fill(blocks, dataset);
        aside += Since(from);
        from = Clock::now();
        method.Write(blocks, this->Written.data());
        moving += Since(from);
        continue;
      }
      method.Read(blocks, this->Got.data());
      moving += Since(from);
      from = Clock::now();
      this->Compare(blocks, file, dataset);
      aside += Since(from);
    }
    method.EndDataset();
  }
  method.Close();
  this->Team.Barrier();
  const double all = Since(begin) - aside;
  return { this->Team.Max(moving), this->Team.Max(all) };
}

PerfResult PerfMeasurement::Run(const std::string& api, std::uint64_t transfer)
{
  const PerfPattern pattern(this->Settings, transfer, this->Team.Size(), this->Team.Rank());
  this->Written.resize(transfer);
  this->Got.resize(transfer);
  for (std::uint64_t i = 0; i < transfer; ++i)
  {
    this->Written[i] =
      static_cast<std::byte>(i * 7 + static_cast<std::uint64_t>(this->Team.Rank()));
  }
  const auto method = MakeAccessMethod(api,
    { this->Team.Handle(), pattern.DatasetSize(), this->Settings.Chunked ? pattern.ChunkSize() : 0,
      this->Settings.Collective, this->Settings.Contact });
  std::vector<double> write;
  std::vector<double> writeFile;
  std::vector<double> read;
  std::vector<double> readFile;
  for (int iteration = 0; iteration < this->Settings.Iterations; ++iteration)
  {
    Spent writing;
    Spent reading;
    for (int number = 0; number < this->Settings.Files; ++number)
    {
      const std::string file = (std::filesystem::absolute(this->Settings.Folder) /
        fmt::format("dsm-perf.{}.{}.h5", api, number));
      const Spent written = this->Pass(*method, pattern, file, true);
      writing.Moving += written.Moving;
      writing.File += written.File;
      if (!this->Settings.WriteOnly)
      {
        const Spent got = this->Pass(*method, pattern, file, false);
        reading.Moving += got.Moving;
        reading.File += got.File;
      }
      if (this->Team.Rank() == 0)
      {
        unlink(file.c_str());
      }
      this->Team.Barrier();
    }
    write.push_back(writing.Moving);
    writeFile.push_back(writing.File);
    if (!this->Settings.WriteOnly)
    {
      read.push_back(reading.Moving);
      readFile.push_back(reading.File);
    }
  }
  const std::uint64_t bytes = pattern.DatasetSize() *
    static_cast<std::uint64_t>(this->Settings.Datasets) *
    static_cast<std::uint64_t>(this->Settings.Files);
  return { api, this->Team.Size(), transfer, RatesOf(write, bytes), RatesOf(writeFile, bytes),
    RatesOf(read, bytes), RatesOf(readFile, bytes) };
}

}
