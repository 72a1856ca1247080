// SPDX-License-Identifier: BSD-3-Clause
#include "Puts.h"

#include "Base/Environment.h"
#include "Peer/Connections.h"
#include "Peer/WritableImage.h"
#include "Transport/ChooseTransport.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace bench
{

namespace
{
using Json = nlohmann::json;

// As many puts are under way at once as in OSU's tests, but not more bytes than this.
constexpr int Window = 64;
constexpr std::uint64_t MostUnderWay = UINT64_C(4) << 20;

// Seconds per call of `work`, repeated for about `limit` seconds after one call to warm up.
template <typename Work>
double Repeat(double limit, Work&& work)
{
  work();
  const double begin = MPI_Wtime();
  double now = begin;
  int calls = 0;
  while (now - begin < limit || calls < 3)
  {
    work();
    ++calls;
    now = MPI_Wtime();
  }
  return (now - begin) / calls;
}

struct Row
{
  std::uint64_t Size;
  double PutLatency, PutRate, GetLatency, GetRate; // s and bytes/s
};

// An image to put bytes into, on one host: what is between it and the transport is an addition.
class Target
{
public:
  Target(const dsm::Communicator& self, const std::string& contact, std::uint64_t size)
    : Size(size)
    , Image(dsm::WritableImage::Begin(self,
        dsm::connections::Get(contact, "writer", 1, dsm::Deadline(dsm::RequestTimeout())), "/puts"))
  {
    // All the room there will be, asked for before anything is timed.
    const std::vector<char> last(1);
    this->Image->Write(dsm::FileOffset(size - 1), last.data(), 1);
    this->Image->Flush();
  }

  /// What carries its bytes.
  std::string TransportName() const { return this->Image->TransportName(); }

  /// An image given up would be worth a warning.
  void Seal() { this->Image->Seal(this->Size, {}); }

  Row Measure(std::uint64_t size, double seconds)
  {
    auto& image = *this->Image;
    std::vector<char> there(size, 'x');
    std::vector<char> back(size);
    const int window = static_cast<int>(std::clamp<std::uint64_t>(MostUnderWay / size, 1, Window));
    Row row{ size, 0, 0, 0, 0 };
    row.PutLatency = Repeat(seconds,
      [&]
      {
        image.Write(0, there.data(), size);
        image.Flush();
      });
    row.PutRate = static_cast<double>(size) * window /
      Repeat(seconds,
        [&]
        {
          for (int i = 0; i < window; ++i)
          {
            image.Write(dsm::FileOffset(static_cast<std::uint64_t>(i) * size), there.data(), size);
          }
          image.Flush();
        });
    row.GetLatency = Repeat(seconds,
      [&]
      {
        image.Read(0, back.data(), size);
        image.Flush();
      });
    if (std::memcmp(there.data(), back.data(), size) != 0)
    {
      throw std::runtime_error(fmt::format("{} bytes came back changed", size));
    }
    std::vector<char> many(size * static_cast<std::uint64_t>(window));
    row.GetRate = static_cast<double>(many.size()) /
      Repeat(seconds,
        [&]
        {
          for (int i = 0; i < window; ++i)
          {
            const auto offset = static_cast<std::uint64_t>(i) * size;
            image.Read(dsm::FileOffset(offset), many.data() + offset, size);
          }
          image.Flush();
        });
    return row;
  }

private:
  std::uint64_t Size;
  std::unique_ptr<dsm::WritableImage> Image;
};

// Whether what carries the bytes is what was asked for: "fabric/tcp" is a fabric.
bool IsWhatWasAsked(const dsm::TransportChoice& asked, const std::string& used)
{
  const auto has = [&used](const std::string& name)
  { return name.empty() || name == "automatic" || used.find(name) != std::string::npos; };
  return has(asked.Heavy) && has(asked.Light);
}

// What one transport gave, as a message to rank 0.
Json MeasureAll(MPI_Comm alone, const std::string& contact, std::uint64_t room,
  const std::string& transport, const Settings& settings)
{
  Json rows = Json::array();
  std::string used;
  try
  {
    const auto self = dsm::Communicator::Duplicate(alone);
    Target target(self, contact, room);
    used = target.TransportName();
    if (!IsWhatWasAsked(dsm::TransportFromText(transport), used))
    {
      target.Seal();
      throw std::runtime_error(fmt::format("bytes would go by {} instead", used));
    }
    for (const auto size : settings.PutSizes)
    {
      const Row row = target.Measure(size, settings.PutSeconds);
      rows.push_back({ row.Size, row.PutLatency, row.PutRate, row.GetLatency, row.GetRate });
    }
    target.Seal();
  }
  catch (const std::exception& error)
  {
    return { { "trouble", error.what() }, { "used", used }, { "rows", rows } };
  }
  return { { "used", used }, { "rows", rows } };
}
}

int MeasurePuts(const World& world, Hosting& hosting, const Settings& settings)
{
  const bool prints = world.Rank() == 0;
  std::ofstream csv;
  if (prints && !settings.Csv.empty())
  {
    csv.open(settings.Csv);
    if (!csv)
    {
      throw std::runtime_error("cannot write " + settings.Csv);
    }
    csv << "transport,used,bytes,put_latency_us,put_MB_per_s,get_latency_us,get_MB_per_s,trouble\n";
  }
  if (prints)
  {
    fmt::print("one writer, one host; latency: one put (get) and a flush; MB/s: up to {} puts "
               "(gets), then a flush\n{:<16} {:>10} {:>12} {:>12} {:>12} {:>12}\n",
      Window, "transport", "bytes", "put us", "put MB/s", "get us", "get MB/s");
  }
  int failed = 0;
  const std::uint64_t largest =
    std::max(MostUnderWay, *std::max_element(settings.PutSizes.begin(), settings.PutSizes.end()));
  for (const auto& transport : settings.Transports)
  {
    Cell cell;
    cell.Strategy = "contiguous";
    cell.Size = largest;
    cell.Transport = transport;
    std::string trouble = hosting.Serve(cell);
    Json told{ { "rows", Json::array() } };
    if (trouble.empty())
    {
      told = Json::parse(world.Share(world.Rank() == world.FirstWriter()
          ? MeasureAll(world.Writers(1), hosting.ContactPath(), largest, transport, settings).dump()
          : std::string(),
        world.FirstWriter()));
      trouble = told.value("trouble", "");
    }
    const auto used = told.value("used", "");
    for (const auto& row : told.at("rows"))
    {
      if (prints)
      {
        const auto value = [&row](int i)
        { return row.at(static_cast<std::size_t>(i)).get<double>(); };
        fmt::print("{:<16} {:>10} {:12.1f} {:12.2f} {:12.1f} {:12.2f}\n", transport, value(0),
          value(1) * 1e6, value(2) * 1e-6, value(3) * 1e6, value(4) * 1e-6);
        csv << fmt::format("\"{}\",\"{}\",{},{:.2f},{:.4f},{:.2f},{:.4f},\n", transport, used,
          value(0), value(1) * 1e6, value(2) * 1e-6, value(3) * 1e6, value(4) * 1e-6);
      }
    }
    if (!trouble.empty())
    {
      ++failed;
      if (prints)
      {
        fmt::print("{:<16} not measured: {}\n", transport, trouble);
        std::replace(trouble.begin(), trouble.end(), '"', '\'');
        csv << fmt::format("\"{}\",\"{}\",,,,,,\"{}\"\n", transport, used, trouble);
      }
    }
  }
  hosting.Stop();
  return failed;
}

}
