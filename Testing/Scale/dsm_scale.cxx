// SPDX-License-Identifier: BSD-3-Clause
// Many peers of a server in few processes, one thread each, for scale.py: they speak the protocol
// and map the hosts' memory as a simulation's ranks do, without MPI and HDF5. Two kinds:
//
//   programs   each with a channel of its own, as programs of one process have
//   ranks      of one program: rank 0 has the channel, the others are told what MPI would tell them
//
// Commands come as lines and are answered with a line each; what fails ends the process. Records
// are told in hexadecimal digits of their encoding: bytes have no place in JSON.
#include "Base/Clock.h"
#include "Base/Error.h"
#include "Control/ContactFile.h"
#include "Encoding/Encoding.h"
#include "Mapping/AddressMap.h"
#include "Peer/Connection.h"
#include "Peer/SharedGrants.h"
#include "Peer/SlotFence.h"
#include "Peer/SnapshotView.h"
#include "Peer/WritableImage.h"
#include "Protocol/ImageMessages.h"
#include "Protocol/SnapshotMessages.h"
#include "Server/Core/ServerMessages.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace
{

using namespace dsm;

const Seconds Limit(120);

std::byte ByteAt(std::uint64_t address)
{
  return static_cast<std::byte>(address * 2654435761U >> 11);
}

// Names that differ in numbers only are of one stream.
std::string Letters(std::uint64_t number)
{
  std::string text;
  for (; number > 0 || text.empty(); number /= 26)
  {
    text += static_cast<char>('a' + number % 26);
  }
  return text;
}

std::vector<std::byte> Contents(std::uint64_t begin, std::uint64_t size)
{
  std::vector<std::byte> bytes(size);
  for (std::uint64_t i = 0; i < size; ++i)
  {
    bytes[i] = ByteAt(begin + i);
  }
  return bytes;
}

template <typename Record>
std::string ToLine(const Record& record)
{
  std::string line;
  for (const std::uint8_t byte : Encode(record))
  {
    line += fmt::format("{:02x}", byte);
  }
  return line;
}

template <typename Record>
Record FromLine(const std::string& line)
{
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < line.size(); i += 2)
  {
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(line.substr(i, 2), nullptr, 16)));
  }
  return Decode<Record>(bytes, "a command");
}

/// What things took, by their names.
class Times
{
public:
  template <typename Work>
  auto Of(const std::string& what, const Work& work)
  {
    const auto begin = Clock::now();
    struct Note
    {
      Times& All;
      const std::string& What;
      Clock::time_point Begin;
      ~Note() { this->All.Add(this->What, Seconds(Clock::now() - this->Begin).count()); }
    } const note{ *this, what, begin };
    return work();
  }

  std::string Json()
  {
    const std::lock_guard lock(this->Guard);
    std::string text;
    for (auto& [what, all] : this->Taken)
    {
      std::sort(all.begin(), all.end());
      text += fmt::format("{}\"{}\":{{\"count\":{},\"median\":{:.6f},\"longest\":{:.6f}}}",
        text.empty() ? "" : ",", what, all.size(), all[all.size() / 2], all.back());
    }
    this->Taken.clear();
    return "{" + text + "}";
  }

private:
  void Add(const std::string& what, double seconds)
  {
    const std::lock_guard lock(this->Guard);
    this->Taken[what].push_back(seconds);
  }

  std::mutex Guard;
  std::map<std::string, std::vector<double>> Taken;
};

class Peers
{
public:
  Peers(const std::string& contact, std::uint64_t first, std::uint64_t count)
    : Path(contact)
    , First(first)
    , Links(count)
  {
  }

  std::string Do(const std::string& command, std::istringstream& words)
  {
    const auto number = [&]
    {
      std::uint64_t value = 0;
      words >> value;
      return value;
    };
    const auto record = [&]
    {
      std::string text;
      std::getline(words >> std::ws, text);
      return text;
    };
    if (command == "connect")
    {
      this->ForEach([&](std::uint64_t peer) { this->Connect(peer, "writer", 1); });
    }
    else if (command == "write-own")
    {
      const OwnFiles own{ number(), number() };
      this->ForEach([&](std::uint64_t peer) { this->WriteOwn(peer, own); });
    }
    else if (command == "ask")
    {
      const std::uint64_t times = number();
      const std::chrono::milliseconds pause(number());
      this->ForEach(
        [&](std::uint64_t peer)
        {
          for (std::uint64_t time = 0; time < times; ++time)
          {
            std::this_thread::sleep_for(pause);
            this->Taken.Of("ask", [&] { this->Links[peer]->Request(ListSnapshots()); });
          }
        });
    }
    else if (command == "map")
    {
      this->ForEach([&](std::uint64_t peer) { this->Links[peer]->Data(); });
    }
    else if (command == "lead")
    {
      this->Connect(0, "writer", number());
      return ToLine(*this->Links[0]->Server());
    }
    else if (command == "follow")
    {
      const auto server = FromLine<ServerDescription>(record());
      const Contact contact = ReadContact(this->Path, Deadline(Limit));
      this->ForEach(
        [&](std::uint64_t peer)
        {
          if (!this->Links[peer])
          {
            this->Links[peer] = Connection::FromDescription(this->Path, contact, server, "rank");
            this->Links[peer]->Heed({ Limit.count(), {}, {} });
          }
          this->Taken.Of("map", [&] { return this->Links[peer]->Data(); });
        });
    }
    else if (command == "begin")
    {
      this->Image = this->Taken.Of(
        "begin", [&] { return this->Links[0]->RequestMemory(BeginImage{ record(), 0, 2 }).Image; });
      return ToLine(this->Image);
    }
    else if (command == "write")
    {
      const std::uint64_t bytes = number();
      const auto image = FromLine<ImageDescription>(record());
      this->ForEach([&](std::uint64_t peer) { this->Write(peer, image, bytes); });
    }
    else if (command == "seal")
    {
      SealImage request;
      request.Image = this->Image.Image;
      request.Size = request.Reach = number();
      request.Until = this->Links[0]->ServerTime() + Limit.count();
      return std::to_string(
        this->Taken.Of("seal", [&] { return this->Links[0]->Request(request).Number; }));
    }
    else if (command == "open")
    {
      OpenSnapshot request;
      request.Number = SnapshotId(number());
      this->Held =
        this->Taken.Of("open", [&] { return SnapshotLease::Open(this->Links[0], request); });
      return ToLine(this->Held.Description());
    }
    else if (command == "read")
    {
      const std::uint64_t bytes = number();
      const auto snapshot = FromLine<SnapshotDescription>(record());
      this->ForEach([&](std::uint64_t peer) { this->Read(peer, snapshot, bytes); });
    }
    else if (command == "close")
    {
      this->Held.Release();
    }
    else if (command == "traffic")
    {
      return ToText(this->Links[0]->Request(AskTraffic()));
    }
    else if (command == "times")
    {
      return this->Taken.Json();
    }
    else
    {
      throw Error(Fault::Usage, "there is no command \"{}\"", command);
    }
    return "null";
  }

private:
  // All peers at once, each in a thread; the first failure is everybody's.
  void ForEach(const std::function<void(std::uint64_t)>& work)
  {
    std::mutex guard;
    std::string failure;
    std::vector<std::thread> threads;
    threads.reserve(this->Links.size());
    for (std::uint64_t peer = 0; peer < this->Links.size(); ++peer)
    {
      threads.emplace_back(
        [&, peer]
        {
          try
          {
            work(peer);
          }
          catch (const std::exception& error)
          {
            const std::lock_guard lock(guard);
            failure = fmt::format("peer {}: {}", this->First + peer, error.what());
          }
        });
    }
    for (auto& thread : threads)
    {
      thread.join();
    }
    if (!failure.empty())
    {
      throw Error(Fault::System, failure);
    }
  }

  void Connect(std::uint64_t peer, const std::string& role, std::uint64_t ranks)
  {
    this->Links[peer] = this->Taken.Of(
      "connect", [&] { return Connection::Open(this->Path, role, ranks, Deadline(Limit)); });
  }

  struct OwnFiles
  {
    std::uint64_t Count;
    std::uint64_t Bytes; ///< of each
  };

  // A program's files: each begins with what is granted to one of unknown size, or a little more
  // than the last had, and grows beyond.
  void WriteOwn(std::uint64_t peer, const OwnFiles& own)
  {
    const auto alone = Communicator::Single();
    const auto& link = this->Links[peer];
    for (std::uint64_t file = 0; file < own.Count; ++file)
    {
      const std::string name = fmt::format("/scale/{}.{}.h5", Letters(this->First + peer), file);
      // More than what the last of the stream had lets the server expect.
      const std::uint64_t size = file % 2 == 0 ? own.Bytes / 4 : own.Bytes;
      const auto contents = Contents(0, size);
      const auto image =
        this->Taken.Of("begin", [&] { return WritableImage::Begin(alone, link, name); });
      const bool grows = !image->Holds(size);
      this->Taken.Of(grows ? "write and grow" : "write",
        [&]
        {
          image->Write(0, contents.data(), size);
          image->Flush();
        });
      const SnapshotId number =
        this->Taken.Of("seal", [&] { return image->Seal(size, WriteStatistics()); });
      this->Taken.Of("read",
        [&]
        {
          const SnapshotView view(link, number);
          Expect(view, 0, size);
        });
    }
  }

  void Write(std::uint64_t peer, const ImageDescription& image, std::uint64_t bytes)
  {
    const auto& link = this->Links[peer];
    const auto server = link->Server();
    const auto route = link->Data();
    const std::uint64_t begin = (this->First + peer) * bytes;
    const std::uint64_t end = begin + bytes;
    if (end > image.Grant)
    {
      const SharedGrants grants(route, *server, image.Slot, image.Generation);
      const auto answer =
        this->Taken.Of("grow", [&] { return grants.Ask(end, Limit, Limit, [] { return false; }); });
      if (answer != SharedGrants::Answer::Granted)
      {
        throw answer == SharedGrants::Answer::Refused
          ? grants.Reason()
          : Error(Fault::PeerLost, "was granted nothing for {} bytes", end);
      }
    }
    const auto contents = Contents(begin, bytes);
    const SlotFence fence(route, *server, image.Slot, image.Generation);
    this->Taken.Of("write",
      [&]
      {
        AddressMap(image.Map).ForEachRun(FileOffset(begin), bytes,
          [&](HostIndex host, std::uint64_t offset, std::uint64_t position, std::uint64_t length)
          {
            if (!fence.Holds(host))
            {
              throw Error(Fault::PeerLost, "the slot is another's");
            }
            route->Put(
              host, image.Slot * server->SlotSize + offset, contents.data() + position, length);
          });
        route->Flush();
      });
  }

  void Read(std::uint64_t peer, const SnapshotDescription& snapshot, std::uint64_t bytes)
  {
    this->Taken.Of("read",
      [&]
      {
        const SnapshotView view(this->Links[peer], snapshot);
        Expect(view, (this->First + peer) * bytes, bytes);
      });
  }

  static void Expect(const SnapshotView& view, std::uint64_t begin, std::uint64_t size)
  {
    std::vector<std::byte> read(size);
    view.Read(FileOffset(begin), read.data(), size);
    if (read != Contents(begin, size))
    {
      throw Error(
        Fault::System, "snapshot {} has other bytes than were written", view.Description().Number);
    }
  }

  const std::string Path;
  const std::uint64_t First;
  std::vector<std::shared_ptr<Connection>> Links;
  ImageDescription Image;
  SnapshotLease Held;
  Times Taken;
};

}

int main(int argc, char** argv)
{
  CLI::App app("Peers of a server, for scale.py");
  std::string contact;
  std::uint64_t first = 0;
  std::uint64_t count = 1;
  app.add_option("--contact", contact, "the server's contact file")->required();
  app.add_option("--first", first, "number of the first peer")->capture_default_str();
  app.add_option("--peers", count, "how many")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try
  {
    Peers peers(contact, first, count);
    for (std::string line; std::getline(std::cin, line);)
    {
      std::istringstream words(line);
      std::string command;
      words >> command;
      std::printf("%s\n", peers.Do(command, words).c_str());
      std::fflush(stdout);
    }
  }
  catch (const std::exception& error)
  {
    std::fprintf(stderr, "dsm_scale: %s\n", error.what());
    return 1;
  }
  return 0;
}
