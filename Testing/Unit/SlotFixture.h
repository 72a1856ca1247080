// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ControlFixture.h"

#include "Memory/Segment.h"
#include "Memory/SegmentLayout.h"
#include "Peer/Connection.h"
#include "Peer/ImageConnection.h"
#include "Peer/ImageSlot.h"
#include "Protocol/ImageMessages.h"
#include "Protocol/SessionMessages.h"
#include "Server/SlotBoard.h"
#include "Transport/Transport.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dsm::testing
{

/// Moves bytes to and from segments of this process.
class PlainMemory final : public Transport
{
public:
  explicit PlainMemory(const std::vector<Segment>& hosts)
    : Hosts(hosts)
    , IsMapped(hosts.size(), true)
  {
  }

  std::string Name() const override { return "plain"; }
  void Put(HostIndex host, std::uint64_t offset, const void* source, std::uint64_t size) override
  {
    std::memcpy(this->Hosts[host].Data() + offset, source, size);
  }
  void Get(HostIndex host, std::uint64_t offset, void* destination, std::uint64_t size) override
  {
    std::memcpy(destination, this->Hosts[host].Data() + offset, size);
  }
  void Flush() override {}
  const std::byte* Direct(HostIndex host, std::uint64_t offset) const override
  {
    return this->IsMapped[host] ? this->Hosts[host].Data() + offset : nullptr;
  }
  void Reserve(HostIndex host, std::uint64_t offset, std::uint64_t size) override
  {
    this->Reserved.push_back({ host, { offset, offset + size } });
  }

  const std::vector<Segment>& Hosts;
  std::vector<bool> IsMapped; ///< what Direct says
  std::vector<std::pair<std::uint64_t, ByteRange>> Reserved;
};

/// An image in the memory of two hosts, whose server answers what a test says.
class ImageTest : public ::testing::Test
{
protected:
  static constexpr std::uint64_t SlotSize = 1 << 20;
  static constexpr std::uint64_t SlotCount = 3;
  static constexpr SlotIndex SlotNumber = 1;
  static constexpr std::uint64_t Generation = 7;
  static constexpr const char* FileName = "/sim/out.h5";
  static constexpr auto LongWait = Seconds(60);

  using Answer = std::function<void(Listener&, const RequestId&, const Envelope&)>;

  ImageTest()
  {
    for (HostIndex host = 0; host < 2; ++host)
    {
      this->Hosts.push_back(Segment::Create(this->Layout.Size()));
      this->Server.Hosts.push_back({ "node", "here", "network", {} });
      this->RaiseGeneration(host, Generation);
    }
    this->Server.SlotSize = SlotSize;
    this->Server.SlotCount = SlotCount;
    this->Image.Image = 5;
    this->Image.Key = 11;
    this->Image.Slot = SlotNumber;
    this->Image.Generation = Generation;
    this->Image.Map = { "block cyclic", 2, SlotSize, 4096, 0, 0, 0, {} };
    this->Image.Grant = 16384;
    this->Route = std::make_shared<PlainMemory>(this->Hosts);
  }
  ~ImageTest() override
  {
    unsetenv("DSM_TIMEOUT");
    unsetenv("DSM_PEER_TIMEOUT");
  }

  /// Makes waits for a server that does not answer end soon.
  static void HaveLittlePatience()
  {
    setenv("DSM_TIMEOUT", "1", 1);
    setenv("DSM_PEER_TIMEOUT", "1", 1);
  }

  void RaiseGeneration(HostIndex host, std::uint64_t generation)
  {
    SlotBoard(this->Hosts[host], this->Layout).RaiseGeneration(SlotNumber, generation);
  }
  SlotBoard Board() const { return { this->Hosts[0], this->Layout }; }

  ImageSlot Slot() const { return { this->Route, this->Server, this->Image, FileName }; }

  /// What is in the slot of a host, from an offset on.
  std::byte* At(HostIndex host, std::uint64_t offset) const
  {
    return this->Hosts[host].Data() + SlotNumber * SlotSize + offset;
  }

  /// Answers messages of that kind from now on; others that come are left without an answer.
  template <typename Message>
  void When(std::function<void(Listener&, const RequestId&, const Message&)> answer)
  {
    this->Answers[Message::Name] = [answer = std::move(answer)](Listener& self,
                                     const RequestId& request, const Envelope& message)
    { answer(self, request, Content<Message>(message)); };
  }

  /// Starts the server, and returns a connection of rank 0 to it. All it answers is known by then.
  std::shared_ptr<Connection> Connect()
  {
    this->Listen();
    return this->ConnectTo(this->Address);
  }
  std::shared_ptr<Connection> ConnectTo(const Contact& contact) const
  {
    auto made = Connection::FromDescription("/sim/run.dsm", contact, this->Server, "rank");
    made->Stay();
    return made;
  }
  void Listen()
  {
    this->Listening = std::make_unique<TestServer>(this->Address,
      [this](Listener& self, const RequestId& request, const Envelope& message)
      {
        if (Is<Hello>(message))
        {
          HelloReply reply;
          reply.Server = this->Server;
          self.Reply(request, reply);
          return;
        }
        this->Heard.Change([&](auto& heard) { ++heard[message.Name]; });
        if (const auto answer = this->Answers.find(message.Name); answer != this->Answers.end())
        {
          answer->second(self, request, message);
        }
        this->Served.Change([&](auto& served) { ++served[message.Name]; });
      });
  }

  /// How many messages of that kind have come.
  template <typename Message>
  int CountOf()
  {
    return this->Heard.Get()[Message::Name];
  }

  /// Waits until one has come and the server has done what it does then.
  template <typename Message>
  bool Await()
  {
    return this->Served.WaitFor([](auto& served) { return served[Message::Name] > 0; });
  }

  const SegmentLayout Layout{ SlotSize, SlotCount };
  std::vector<Segment> Hosts;
  ServerDescription Server;
  ImageDescription Image;
  std::shared_ptr<PlainMemory> Route;
  Contact Address = ContactOfThisProcess();
  std::map<std::string, Answer> Answers;
  Watched<std::map<std::string, int>> Heard;
  Watched<std::map<std::string, int>> Served;
  std::unique_ptr<TestServer> Listening;
};

}
