// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/TransportService.h"

#include "SimulatedServer.h"

#include <gtest/gtest.h>

namespace
{

using namespace dsm;
using dsm::testing::SimulatedServer;
using dsm::testing::Texts;

/// Notes what it hears, and answers when the test says so.
class Mediator final : public TransportMediator
{
public:
  void Connect(Callbacks callbacks) override { this->Say = std::move(callbacks); }
  void Request(const RequestId& request, const Bytes& message) override
  {
    this->Requests.push_back(request);
    if (message == Bytes{ 'n', 'o' })
    {
      throw Error(Fault::Unsupported, "this mediator cannot");
    }
    if (message == Bytes{ 'n', 'o', 'w' })
    {
      this->Say.Reply(request, { 'd', 'o', 'n', 'e' });
    }
  }
  void Notify(const PeerId& peer, bool isHost, const Bytes&) override
  {
    this->Heard.push_back(peer + (isHost ? " as a host" : ""));
  }
  void Gone(const PeerId& peer) override { this->Heard.push_back(peer + " is gone"); }
  void Tick() override { ++this->Ticks; }

  Callbacks Say;
  std::vector<RequestId> Requests;
  Texts Heard;
  int Ticks = 0;
};

class TransportServiceTest : public ::testing::Test
{
protected:
  TransportServiceTest()
  {
    auto made = std::make_unique<Mediator>();
    this->Mediating = made.get();
    SimulatedServer::Setup setup;
    setup.Mediators["test"] = std::move(made);
    this->Server.emplace(std::move(setup));
    this->Server->Connect("peer", "writer");
  }

  std::uint64_t Ask(const Bytes& content, const PeerId& peer = "peer")
  {
    return this->Server->Send(peer, TransportRequest{ "test", content });
  }

  /// The mediator says something within an event.
  template <typename Work>
  void Do(const Work& work)
  {
    this->Server->Core.Router.Do(work);
  }

  std::optional<SimulatedServer> Server;
  Mediator* Mediating = nullptr;
};

TEST_F(TransportServiceTest, PassesAReplyOnWhetherItComesAtOnceOrLater)
{
  EXPECT_EQ(this->Server->ReplyTo<TransportRequest>(this->Ask({ 'n', 'o', 'w' })).Content,
    (Bytes{ 'd', 'o', 'n', 'e' }));
  const std::uint64_t later = this->Ask({ 'x' });
  EXPECT_FALSE(this->Server->IsAnswered(later));
  this->Do([&] { this->Mediating->Say.Reply(this->Mediating->Requests.back(), { 'y' }); });
  EXPECT_EQ(this->Server->ReplyTo<TransportRequest>(later).Content, Bytes{ 'y' });
}

TEST_F(TransportServiceTest, AnswersEachRequestOnce)
{
  const std::uint64_t request = this->Ask({ 'x' });
  const RequestId id = this->Mediating->Requests.back();
  this->Do(
    [&]
    {
      this->Mediating->Say.Reply(id, { 'y' });
      this->Mediating->Say.Refuse(id, Error(Fault::TimedOut, "too late"));
    });
  EXPECT_EQ(this->Server->ReplyTo<TransportRequest>(request).Content, Bytes{ 'y' });
}

TEST_F(TransportServiceTest, PassesRefusalsOn)
{
  EXPECT_TRUE(
    this->Server->IsRefused(this->Ask({ 'n', 'o' }), Fault::Unsupported, "this mediator cannot"));
  const std::uint64_t later = this->Ask({ 'x' });
  this->Do(
    [&]
    {
      this->Mediating->Say.Refuse(
        this->Mediating->Requests.back(), Error(Fault::TimedOut, "no host came"));
    });
  EXPECT_TRUE(this->Server->IsRefused(later, Fault::TimedOut, "no host came"));
}

TEST_F(TransportServiceTest, DropsTheAnswerForAPeerThatHasLeft)
{
  const std::uint64_t request = this->Ask({ 'x' });
  this->Server->Connect("other", "writer");
  const std::uint64_t others = this->Ask({ 'x' }, "other");
  this->Server->Leave("peer", true);
  EXPECT_EQ(this->Mediating->Heard, Texts{ "peer is gone" });
  this->Do(
    [&]
    {
      for (const RequestId& id : this->Mediating->Requests)
      {
        this->Mediating->Say.Reply(id, { 'y' });
      }
    });
  EXPECT_FALSE(this->Server->IsAnswered(request));
  EXPECT_TRUE(this->Server->IsAnswered(others));
}

TEST_F(TransportServiceTest, RefusesTransportsThatHaveNoMediatorAndStrangers)
{
  const std::string refusal = "this DSM server's transport \"other\" has nothing to say";
  EXPECT_TRUE(this->Server->IsRefused(
    this->Server->Send("peer", TransportRequest{ "other", {} }), Fault::Refused, refusal));
  EXPECT_TRUE(this->Server->IsRefused(
    this->Server->Send("peer", TransportNotice{ "other", {} }), Fault::Refused, refusal));
  EXPECT_TRUE(this->Server->IsRefused(this->Ask({ 'x' }, "nobody"), Fault::PeerLost, "not know"));
  EXPECT_TRUE(this->Mediating->Requests.empty());
}

TEST_F(TransportServiceTest, SaysWhoSendsANotice)
{
  this->Server->Notify("peer", TransportNotice{ "test", {} });
  this->Server->Notify(SimulatedServer::HostPeer(1), TransportNotice{ "test", {} });
  this->Server->Notify("nobody", TransportNotice{ "test", {} });
  EXPECT_EQ(this->Mediating->Heard, (Texts{ "peer", "host 1 as a host", "nobody" }));
}

TEST_F(TransportServiceTest, SendsToHostsThatAreThereAndReportsTrouble)
{
  this->Server->Leave(SimulatedServer::HostPeer(0), false);
  this->Do(
    [&]
    {
      this->Mediating->Say.ToHost(0, { 'a' });
      this->Mediating->Say.ToHost(1, { 'b' });
      this->Mediating->Say.Report("a cable is loose");
    });
  EXPECT_TRUE(this->Server->Channel.Take<TransportEvent>(SimulatedServer::HostPeer(0)).empty());
  const auto sent = this->Server->Channel.Take<TransportEvent>(SimulatedServer::HostPeer(1));
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent.front().Transport, "test");
  EXPECT_EQ(sent.front().Content, Bytes{ 'b' });
  EXPECT_EQ(this->Server->Status().LastError, "a cable is loose");
}

TEST_F(TransportServiceTest, TicksItsMediators)
{
  this->Server->Wait(Seconds(1));
  this->Server->Wait(Seconds(1));
  EXPECT_EQ(this->Mediating->Ticks, 2);
  EXPECT_EQ(this->Server->Slots.Beats, 2u) << "ranks see that the server is alive";
}

}
