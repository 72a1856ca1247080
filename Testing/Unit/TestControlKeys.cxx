// SPDX-License-Identifier: BSD-3-Clause
// The control channel with more keys than one: guests come and go.
#include "Control/AdmittedKeys.h"
#include "Control/KeyPair.h"
#include "ControlFixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace
{

using namespace dsm;
using namespace dsm::testing;

// A server that answers by what key it was asked.
class ControlKeys : public ::testing::Test
{
protected:
  void SetUp() override
  {
    this->Server = std::make_unique<TestServer>(
      this->Address,
      [this](Listener& server, const RequestId& request, const Envelope& message)
      {
        this->Heard.Change([&](int& count) { ++count; });
        if (Is<EchoRequest>(message))
        {
          server.Reply(request, EchoReply{ request.Key });
        }
      },
      [this](const PeerId&, bool lost)
      { this->Gone.Change([&](std::vector<bool>& gone) { gone.push_back(lost); }); });
  }

  // A contact with a key of its own, which the server admits.
  Contact Invite()
  {
    const KeyPair keys = KeyPair::New();
    (*this->Server)->Admit(keys.Public);
    return this->With(keys);
  }

  Contact With(const KeyPair& keys) const
  {
    Contact contact = this->Address;
    contact.ClientPublicKey = keys.Public;
    contact.ClientSecretKey = keys.Secret;
    return contact;
  }

  static std::string Ask(Channel& channel)
  {
    return channel.Request(EchoRequest{ "who am I?" }, Deadline(Seconds(30))).Said;
  }

  Contact Address = ContactOfThisProcess();
  Watched<int> Heard;
  Watched<std::vector<bool>> Gone;
  std::unique_ptr<TestServer> Server;
};

TEST_F(ControlKeys, EachMessageCarriesTheKeyOfItsConnection)
{
  const Contact ada = this->Invite();
  const Contact eve = this->Invite();
  Channel owner(this->Address, "run.dsm");
  Channel first(ada, "ada.dsm");
  Channel second(eve, "eve.dsm");
  EXPECT_EQ(Ask(owner), this->Address.ClientPublicKey);
  EXPECT_EQ(Ask(first), ada.ClientPublicKey);
  EXPECT_EQ(Ask(second), eve.ClientPublicKey);
}

TEST_F(ControlKeys, AKeyThatNobodyAdmittedIsRefused)
{
  const std::string text = TextOf(Fault::Refused,
    [&]
    {
      Channel channel(this->With(KeyPair::New()), "run.dsm");
      Ask(channel);
    });
  EXPECT_TRUE(Contains(text, "it does not admit our key")) << text;
  EXPECT_EQ(this->Heard.Get(), 0);
}

TEST_F(ControlKeys, AWithdrawnKeyEndsItsConnectionsAtOnceAndSaysWhy)
{
  const Contact ada = this->Invite();
  Channel owner(this->Address, "run.dsm");
  Channel first(ada, "ada.dsm");
  Channel second(ada, "ada.dsm");
  Ask(owner);
  Ask(first);
  Ask(second);
  first.RequireInvitation();
  const auto begin = Clock::now();
  (*this->Server)->Withdraw(ada.ClientPublicKey);
  for (Channel* channel : { &first, &second })
  {
    while (channel->Alive() && SecondsSince(begin) < 2 * AtOnce)
    {
      std::this_thread::yield();
    }
    const std::string text = TextOf(Fault::Refused, [&] { Ask(*channel); });
    EXPECT_TRUE(Contains(text, "your invitation was withdrawn by the owner")) << text;
    TextOf(Fault::Refused, [&] { channel->RequireInvitation(); });
  }
  EXPECT_LT(SecondsSince(begin), AtOnce);
  EXPECT_TRUE(this->Gone.WaitFor([](const auto& gone) { return gone.size() == 2; }));
  EXPECT_EQ(this->Gone.Get(), (std::vector<bool>{ true, true }));
  EXPECT_EQ(Ask(owner), this->Address.ClientPublicKey) << "the owner's is another";
  owner.RequireInvitation();
}

TEST_F(ControlKeys, NewConnectionsOfAWithdrawnKeyAreToldWhyAndNothingOfThemIsHeard)
{
  const Contact ada = this->Invite();
  (*this->Server)->Withdraw(ada.ClientPublicKey);
  const std::string text = TextOf(Fault::Refused,
    [&]
    {
      Channel channel(ada, "ada.dsm");
      Ask(channel);
    });
  EXPECT_TRUE(Contains(text, "your invitation was withdrawn by the owner")) << text;
  EXPECT_EQ(this->Heard.Get(), 0);
}

// A peer's requests are answered in turn with another's, who sends as fast as it can and does not
// wait for answers.
TEST_F(ControlKeys, APeerThatFloodsStarvesNobody)
{
  const Contact eve = this->Invite();
  Channel owner(this->Address, "run.dsm");
  Channel flood(eve, "eve.dsm");
  Ask(owner);
  Ask(flood);
  std::atomic<bool> over = false;
  std::thread flooding(
    [&]
    {
      for (int i = 0; i < 200000 && !over; ++i)
      {
        flood.Notify(TestEvent{ i });
      }
    });
  ASSERT_TRUE(this->Heard.WaitFor([](int count) { return count > 2000; }));
  std::array<double, 20> taken{};
  for (double& seconds : taken)
  {
    const auto begin = Clock::now();
    Ask(owner);
    seconds = SecondsSince(begin);
  }
  over = true;
  flooding.join();
  std::sort(taken.begin(), taken.end());
  EXPECT_LT(taken[taken.size() / 2], 2) << "as a rule: a busy machine is late now and then";
}

TEST(AdmittedKeys, AreWhatTheyAre)
{
  AdmittedKeys keys;
  const std::string one = KeyPair::New().Public;
  EXPECT_EQ(keys.Ask(one), AdmittedKeys::Answer::Unknown);
  EXPECT_EQ(keys.Ask(""), AdmittedKeys::Answer::Unknown);
  keys.Admit(one);
  EXPECT_EQ(keys.Ask(one), AdmittedKeys::Answer::Admitted);
  TextOf(Fault::Usage, [&] { keys.Admit(one); });
  keys.Withdraw(one);
  EXPECT_EQ(keys.Ask(one), AdmittedKeys::Answer::Withdrawn);
  TextOf(Fault::Usage, [&] { keys.Admit(one); });
  TextOf(Fault::Usage, [&] { keys.Admit("not a key"); });
  keys.Withdraw(KeyPair::New().Public);
  EXPECT_EQ(keys.Ask("not a key"), AdmittedKeys::Answer::Unknown);
}

TEST(AdmittedKeys, RememberTheLastThatWereWithdrawn)
{
  AdmittedKeys keys;
  std::vector<std::string> made;
  for (std::size_t i = 0; i <= AdmittedKeys::MostWithdrawn; ++i)
  {
    made.push_back(KeyPair::New().Public);
    keys.Admit(made.back());
    keys.Withdraw(made.back());
  }
  EXPECT_EQ(keys.Ask(made.front()), AdmittedKeys::Answer::Unknown);
  EXPECT_EQ(keys.Ask(made[1]), AdmittedKeys::Answer::Withdrawn);
}

}
