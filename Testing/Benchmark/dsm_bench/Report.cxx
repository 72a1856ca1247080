// SPDX-License-Identifier: BSD-3-Clause
#include "Report.h"

#include "Settings.h"

#include "Base/Environment.h"
#include "Mapping/Redistribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace bench
{

namespace
{
constexpr double NoNumber = std::numeric_limits<double>::quiet_NaN();

double Rate(std::uint64_t bytes, double seconds)
{
  return seconds > 0 ? static_cast<double>(bytes) / seconds * 1e-6 : NoNumber;
}

// A ratio where there is one, else nothing.
std::string Ratio(double value, const char* format)
{
  return std::isfinite(value) && value > 0 ? fmt::format(fmt::runtime(format), value)
                                           : std::string();
}

std::string Quoted(std::string text)
{
  std::replace(text.begin(), text.end(), '"', '\'');
  std::replace(text.begin(), text.end(), '\n', ' ');
  return '"' + text + '"';
}
}

Report::Report(const std::string& csv, bool readToo)
  : ReadToo(readToo)
{
  if (!csv.empty())
  {
    this->Csv = std::fopen(csv.c_str(), "w");
    if (!this->Csv)
    {
      throw std::runtime_error(fmt::format("cannot write {}: {}", csv, std::strerror(errno)));
    }
    std::fputs("hosts,host_nodes,writers,writer_nodes,datasets,bytes,bytes_stored,strategy,"
               "block_size,transport,mode,direction,rounds,seconds_min,seconds_median,seconds_max,"
               "MB_per_s,of_memcpy,of_tmpfs,of_links,network_bytes,trouble\n",
      this->Csv);
  }
  fmt::print("MB/s = 10^6 bytes of the datasets per second, from H5Fcreate (H5Fopen) to the end of "
             "H5Fclose; the median round\n{:>5} {:>7} {:>8} {:>10} {:<13} {:>8} {:<14} {:<11} "
             "{:<5} {:>9} {:>9} {:>9} {:>8} {:>8} {:>8}\n",
    "hosts", "writers", "datasets", "bytes", "strategy", "block", "transport", "mode", "", "MB/s",
    "least", "most", "memcpy", "tmpfs", "links");
}

Report::~Report()
{
  if (this->Csv)
  {
    std::fclose(this->Csv);
  }
}

void Report::Add(const Outcome& outcome)
{
  this->Row(outcome, "write", outcome.Write);
  if (this->ReadToo)
  {
    this->Row(outcome, "read", outcome.Read);
  }
}

void Report::Row(const Outcome& outcome, const char* direction, const Measurement& measurement)
{
  const Cell& cell = outcome.What;
  const auto& seconds = measurement.Driver.Seconds;
  const bool measured = outcome.Trouble.empty() && !seconds.empty();
  const double least = measured ? *std::min_element(seconds.begin(), seconds.end()) : NoNumber;
  const double most = measured ? *std::max_element(seconds.begin(), seconds.end()) : NoNumber;
  const double median = measured ? measurement.Driver.Median() : NoNumber;
  const double rate = Rate(outcome.Bytes, median);
  const double ofMemcpy = measured ? measurement.Driver.SpeedOver(measurement.Memcpy) : NoNumber;
  const double ofTmpfs = measured ? measurement.Driver.SpeedOver(measurement.Tmpfs) : NoNumber;
  const double ofLinks =
    outcome.LinkBytesPerSecond > 0 ? rate * 1e6 / outcome.LinkBytesPerSecond : NoNumber;
  const char* mode = cell.Collective ? "collective" : "independent";
  const std::string block =
    HasBlocks(cell.Strategy) ? dsm::BlockSizeText(cell.BlockSize) : std::string("-");
  fmt::print("{:>5} {:>7} {:>8} {:>10} {:<13} {:>8} {:<14} {:<11} {:<5} ", cell.Hosts, cell.Writers,
    cell.Datasets, dsm::environment::FormatBytes(cell.Size), cell.Strategy, block, cell.Transport,
    mode, direction);
  if (measured)
  {
    fmt::print("{:9.1f} {:9.1f} {:9.1f} {:>8} {:>8} {:>8}\n", rate, Rate(outcome.Bytes, most),
      Rate(outcome.Bytes, least), Ratio(ofMemcpy, "{:.2f}"), Ratio(ofTmpfs, "{:.2f}"),
      Ratio(ofLinks, "{:.2f}"));
  }
  else
  {
    fmt::print("not measured: {}\n", outcome.Trouble);
  }
  std::fflush(stdout);
  if (this->Csv)
  {
    fmt::print(this->Csv,
      "{},{},{},{},{},{},{},{},{},\"{}\",{},{},{},{},{},{},{},{},{},{},{:.0f},{}\n", cell.Hosts,
      outcome.HostNodes, cell.Writers, outcome.WriterNodes, cell.Datasets, outcome.Bytes,
      outcome.BytesStored, cell.Strategy, cell.BlockSize, cell.Transport, mode, direction,
      seconds.size(), Ratio(least, "{:.6f}"), Ratio(median, "{:.6f}"), Ratio(most, "{:.6f}"),
      Ratio(rate, "{:.3f}"), Ratio(ofMemcpy, "{:.4g}"), Ratio(ofTmpfs, "{:.4g}"),
      Ratio(ofLinks, "{:.4f}"), measured ? measurement.NetworkBytes : 0, Quoted(outcome.Trouble));
    std::fflush(this->Csv);
  }
}

}
