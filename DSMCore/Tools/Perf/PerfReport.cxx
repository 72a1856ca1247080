// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/Perf/PerfReport.h"

#include "Base/Environment.h"
#include "Base/Error.h"

#include <cerrno>

namespace dsm::perf
{

namespace
{
constexpr const char* Columns =
  "api,processes,datasets,files,bytes_per_process,transfer,block,collective,chunked,operation,"
  "MB_per_s,MB_per_s_least,MB_per_s_most\n";

std::string Text(const Rates& rates)
{
  return rates.Most == 0
    ? "-"
    : fmt::format("{:.0f} ({:.0f} to {:.0f})", rates.Mean, rates.Least, rates.Most);
}
}

PerfReport::PerfReport(const PerfSettings& settings)
  : Settings(settings)
  , Csv(settings.Csv.empty() ? nullptr : std::fopen(settings.Csv.c_str(), "w"), std::fclose)
{
  if (!settings.Csv.empty() && !this->Csv)
  {
    throw Error(Fault::System, "{} cannot be written: {}", settings.Csv, SystemText(errno));
  }
  if (this->Csv)
  {
    std::fputs(Columns, this->Csv.get());
  }
  fmt::print(
    "{} of each process in each of {} dataset{} of {} file{}, {}{}, {} transfers, {} times; "
    "MB/s (10^6 bytes): mean (least to most)\n",
    environment::FormatBytes(settings.BytesPerProcess), settings.Datasets,
    settings.Datasets == 1 ? "" : "s", settings.Files, settings.Files == 1 ? "" : "s",
    settings.Interleaved ? "interleaved" : "contiguous", settings.Chunked ? ", chunked" : "",
    settings.Collective ? "collective" : "independent", settings.Iterations);
}

void PerfReport::Begin(int processes)
{
  fmt::print("\n{} process{}\n{:>10} {:<6} {:>24} {:>24} {:>24} {:>24}\n", processes,
    processes == 1 ? "" : "es", "transfer", "api", "write", "with create, close", "read",
    "with open, close");
  std::fflush(stdout);
}

void PerfReport::Add(const PerfResult& result)
{
  fmt::print("{:>10} {:<6} {:>24} {:>24} {:>24} {:>24}\n",
    environment::FormatBytes(result.Transfer), result.Api, Text(result.Write),
    Text(result.WriteFile), Text(result.Read), Text(result.ReadFile));
  std::fflush(stdout);
  if (!this->Csv)
  {
    return;
  }
  const std::pair<const char*, const Rates&> all[] = { { "write", result.Write },
    { "write_file", result.WriteFile }, { "read", result.Read }, { "read_file", result.ReadFile } };
  for (const auto& [operation, rates] : all)
  {
    if (rates.Most > 0)
    {
      fmt::print(this->Csv.get(), "{},{},{},{},{},{},{},{:d},{:d},{},{:.1f},{:.1f},{:.1f}\n",
        result.Api, result.Processes, this->Settings.Datasets, this->Settings.Files,
        this->Settings.BytesPerProcess, result.Transfer,
        this->Settings.Interleaved ? this->Settings.BlockOf(result.Transfer) : result.Transfer,
        this->Settings.Collective, this->Settings.Chunked, operation, rates.Mean, rates.Least,
        rates.Most);
    }
  }
  std::fflush(this->Csv.get());
}

}
