// SPDX-License-Identifier: BSD-3-Clause
#include "Session/WritableImage.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/Log.h"
#include "Session/Agreement.h"
#include "Session/Connections.h"
#include "Session/MpiMembership.h"

#include <algorithm>
#include <vector>

namespace dsm
{

namespace
{
constexpr std::uint64_t CopyStep = UINT64_C(1) << 20;
// Bytes per second that hosts copy at the very least, memory they touch for the first time
// included.
constexpr double SlowestCopy = 100e6;

// A rank's link to the server that rank 0 talks to: the one it has already, or one made from what
// rank 0 tells.
std::shared_ptr<Connection> LinkFromRankZero(const nlohmann::json& told)
{
  const auto path = told.at("contact_path").get<std::string>();
  const auto server = told.at("server").get<ServerDescription>();
  if (auto known = connections::Find(path); known && known->Server().Session == server.Session)
  {
    known->Follow(server);
    return known;
  }
  auto made = Connection::FromDescription(
    path, Contact::FromText(told.at("contact").get<std::string>()), server, "rank");
  connections::Add(made);
  return made;
}
}

WritableImage::WritableImage(const Communicator& communicator)
  : Comm(communicator)
{
}

std::unique_ptr<WritableImage> WritableImage::Begin(const Communicator& communicator,
  std::shared_ptr<Connection> connection, const std::string& fileName, bool startFromSnapshot)
{
  const auto told = AskAsOne(communicator,
    [&]
    {
      nlohmann::json answer =
        connection->AskForRoom("begin", { { "file", fileName }, { "copy", startFromSnapshot } });
      answer["contact_path"] = connection->ContactPath();
      answer["contact"] = connection->GetContact().ToText();
      answer["server"] = connection->Server();
      return answer;
    });
  std::unique_ptr<WritableImage> made(new WritableImage(communicator));
  made->Name = fileName;
  made->Image = told.at("image").get<ImageDescription>();
  made->Link = communicator.Rank() == 0 ? std::move(connection) : nullptr;
  made->Open = true;
  Agree(communicator,
    [&]
    {
      if (!made->Link)
      {
        made->Link = LinkFromRankZero(told);
      }
    });
  ReachHosts(communicator, made->Link);
  Agree(communicator,
    [&]
    {
      made->Map = AddressMap(made->Image.Map);
      made->PutBytes.assign(made->Image.Map.Hosts, 0);
      made->SlotOffset = made->Image.Slot * made->Link->Server().SlotSize;
      made->Mover = &made->Link->Data();
    });
  if (told.contains("source"))
  {
    Agree(communicator, [&] { made->CopyFrom(told.at("source").get<SnapshotDescription>()); });
    if (communicator.Rank() == 0)
    {
      made->Link->Tell("close", { { "lease", told.at("lease") } });
    }
  }
  return made;
}

WritableImage::~WritableImage()
{
  if (this->Open)
  {
    this->Abandon("it was not closed properly");
  }
}

// Each rank copies its share of the snapshot.
void WritableImage::CopyFrom(const SnapshotDescription& source)
{
  const AddressMap from(source.Map);
  const std::uint64_t fromSlot = source.Slot * this->Link->Server().SlotSize;
  const auto ranks = static_cast<std::uint64_t>(this->Comm.Size());
  const auto rank = static_cast<std::uint64_t>(this->Comm.Rank());
  const std::uint64_t share = (source.FileSize + ranks - 1) / ranks;
  const std::uint64_t begin = std::min(rank * share, source.FileSize);
  const std::uint64_t end = std::min(begin + share, source.FileSize);
  std::vector<std::byte> buffer(std::min(CopyStep, end - begin));
  for (std::uint64_t address = begin; address < end; address += CopyStep)
  {
    const std::uint64_t size = std::min(CopyStep, end - address);
    from.ForEachRun(address, size,
      [&](std::uint64_t host, std::uint64_t offset, std::uint64_t position, std::uint64_t length)
      { this->Mover->Get(host, fromSlot + offset, buffer.data() + position, length); });
    this->Mover->Flush();
    this->Write(address, buffer.data(), size);
    this->Mover->Flush();
  }
  this->StartSize = source.FileSize;
}

void WritableImage::Write(std::uint64_t address, const void* source, std::uint64_t size)
{
  const std::uint64_t end = address + size;
  if (end > this->Image.Grant)
  {
    this->Extend(end);
  }
  this->Reach = std::max(this->Reach, end);
  const auto* bytes = static_cast<const std::byte*>(source);
  this->Map.ForEachRun(address, size,
    [&](std::uint64_t host, std::uint64_t offset, std::uint64_t position, std::uint64_t length)
    {
      this->Mover->Put(host, this->SlotOffset + offset, bytes + position, length);
      this->PutBytes[host] += length;
    });
}

void WritableImage::Read(std::uint64_t address, void* destination, std::uint64_t size)
{
  auto* bytes = static_cast<std::byte*>(destination);
  const std::uint64_t inside =
    address < this->Capacity() ? std::min(size, this->Capacity() - address) : 0;
  this->Map.ForEachRun(address, inside,
    [&](std::uint64_t host, std::uint64_t offset, std::uint64_t position, std::uint64_t length)
    { this->Mover->Get(host, this->SlotOffset + offset, bytes + position, length); });
  std::fill(bytes + inside, bytes + size, std::byte(0));
}

void WritableImage::Flush()
{
  this->Mover->Flush();
}

void WritableImage::Extend(std::uint64_t end)
{
  if (end > this->Capacity())
  {
    const auto hosts = this->Map.Parameters().Hosts;
    throw Error(Fault::RingFull,
      "{} needs {} or more, and the DSM server's {} host{} can take {} of one file, spread as {}: "
      "raise the memory per host (it is {}), add hosts, or write less per file",
      this->Name, environment::FormatBytes(end), hosts, hosts == 1 ? "" : "s",
      environment::FormatBytes(this->Capacity()), this->Map.Parameters().Strategy,
      environment::FormatBytes(this->Map.Parameters().HostCapacity));
  }
  const auto answer =
    this->Link->AskForRoom("extend", { { "image", this->Image.Image }, { "bytes", end } });
  this->Image.Grant = answer.at("grant").get<std::uint64_t>();
}

std::uint64_t WritableImage::Seal(std::uint64_t fileSize, const WriteStatistics& statistics)
{
  this->Flush();
  const WriteStatistics all = this->Gather(statistics);
  const std::uint64_t reach = this->Comm.Max(this->Reach);
  // Whatever comes back, the image is no longer ours to give up.
  this->Open = false;
  const auto answer = AskAsOne(this->Comm,
    [&]
    {
      return this->Link->Ask("seal",
        { { "image", this->Image.Image }, { "size", fileSize }, { "reach", reach },
          { "statistics", all } });
    });
  return answer.at("number").get<std::uint64_t>();
}

WriteStatistics WritableImage::Gather(const WriteStatistics& mine) const
{
  WriteStatistics all;
  all.Bytes = this->Comm.Sum(mine.Bytes);
  all.WriteSeconds = this->Comm.Max(mine.WriteSeconds);
  all.BlockedSeconds = this->Comm.Max(mine.BlockedSeconds);
  all.HostBytes = this->Comm.Sum(this->PutBytes);
  return all;
}

std::string WritableImage::Publish(std::uint64_t fileSize, const WriteStatistics& statistics)
{
  const WriteStatistics all = this->Gather(statistics);
  const auto skipped = AskAsOne(this->Comm,
    [&]() -> nlohmann::json
    {
      const auto copied = this->Link->AskForRoom("publish",
        { { "image", this->Image.Image }, { "size", fileSize }, { "statistics", all } },
        Seconds(static_cast<double>(fileSize) / SlowestCopy));
      if (copied.contains("skipped"))
      {
        return copied.at("skipped");
      }
      // Nobody has written since the question: the copy is whole.
      this->Link->Ask("confirm", { { "image", this->Image.Image }, { "copy", copied.at("copy") } });
      return "";
    }).get<std::string>();
  if (skipped.empty())
  {
    // They have been counted.
    this->PutBytes.assign(this->PutBytes.size(), 0);
  }
  return skipped;
}

void WritableImage::Finish()
{
  const std::uint64_t reach = this->Comm.Max(this->Reach);
  this->Open = false;
  AskAsOne(this->Comm, [&]
    { return this->Link->Ask("finish", { { "image", this->Image.Image }, { "reach", reach } }); });
}

Intake WritableImage::GetIntake() const
{
  return this->Link->GetIntake().WithEnvironment();
}

void WritableImage::Abandon(const std::string& why) noexcept
{
  this->Open = false;
  if (this->Comm.Rank() == 0 && this->Link)
  {
    this->Link->Tell("abandon", { { "image", this->Image.Image }, { "why", why } });
  }
}

}
