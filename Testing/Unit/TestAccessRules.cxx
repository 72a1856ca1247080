// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/AccessRules.h"

#include "Protocol/ImageMessages.h"
#include "Protocol/SessionMessages.h"
#include "Protocol/SnapshotMessages.h"
#include "Server/Core/ServerMessages.h"
#include "Steering/SteeringMessages.h"

#include "ControlFixture.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace
{

using namespace dsm;
using namespace dsm::testing;

template <typename Message>
Envelope Sent(const Message& message)
{
  return { Envelope::Kind::Request, Message::Name, 1, Encode(message), {}, {} };
}

Envelope Steering(const SteeringRequest& request)
{
  return Sent(RequestSteering{ request, "eve" });
}

bool May(Right right, const Envelope& message)
{
  try
  {
    access::Require({ "ada", right, 0, 0 }, message);
    return true;
  }
  catch (const Error& error)
  {
    EXPECT_EQ(error.GetFault(), Fault::Refused) << error.what();
    return false;
  }
}

// The messages that the headers declare.
std::set<std::string> Declared()
{
  std::set<std::string> names;
  const std::regex name("static constexpr const char\\* Name = \"([^\"]+)\"");
  for (const char* const folder : { "Protocol", "Session", "Steering" })
  {
    for (const auto& entry :
      std::filesystem::directory_iterator(std::filesystem::path(DSM_SOURCE) / "DSMCore" / folder))
    {
      if (entry.path().extension() == ".h")
      {
        std::stringstream text;
        text << std::ifstream(entry.path()).rdbuf();
        const std::string content = text.str();
        for (auto found = std::sregex_iterator(content.begin(), content.end(), name);
          found != std::sregex_iterator(); ++found)
        {
          names.insert((*found)[1]);
        }
      }
    }
  }
  return names;
}

// A message that is new is decided on, once.
TEST(AccessRules, NameEveryMessageOnce)
{
  std::multiset<std::string> ruled;
  for (const auto& rule : access::Rules())
  {
    ruled.insert(rule.Message);
  }
  ruled.insert(access::ServersOwn().begin(), access::ServersOwn().end());
  const auto declared = Declared();
  EXPECT_GT(declared.size(), 25u);
  for (const std::string& name : declared)
  {
    EXPECT_EQ(ruled.count(name), 1u)
      << "Server/Core/AccessRules.cxx says nothing of \"" << name << "\": may a guest send it?";
  }
  for (const std::string& name : ruled)
  {
    EXPECT_TRUE(declared.contains(name)) << "there is no message \"" << name << '"';
  }
}

TEST(AccessRules, LetGuestsLookAndNothingElse)
{
  for (const Right right : { Right::Look, Right::Steer })
  {
    EXPECT_TRUE(May(right, Sent(Hello())));
    EXPECT_TRUE(May(right, Sent(ListSnapshots())));
    EXPECT_TRUE(May(right, Sent(OpenSnapshot())));
    EXPECT_TRUE(May(right, Sent(AwaitSnapshot())));
    EXPECT_TRUE(May(right, Sent(CloseSnapshot())));
    EXPECT_TRUE(May(right, Steering(StatusRequest())));
    EXPECT_TRUE(May(right, Steering(WaitRequest())));
    EXPECT_TRUE(May(right, Sent(ReadInteractions{ {}, true })));
    EXPECT_FALSE(May(right, Sent(ReadInteractions{ {}, false }))) << "what is pending takes effect";
    EXPECT_FALSE(May(right, Sent(BeginImage())));
    EXPECT_FALSE(May(right, Sent(ExtendImage())));
    EXPECT_FALSE(May(right, Sent(DeleteFile())));
    EXPECT_FALSE(May(right, Sent(NoteSaved())));
    EXPECT_FALSE(May(right, Sent(DeclareProgram())));
    EXPECT_FALSE(May(right, Steering(SaveRequest())));
    EXPECT_FALSE(May(right, Steering(DeclareRequest())));
    EXPECT_TRUE(May(right, Sent(AskStatus())));
    EXPECT_FALSE(May(right, Sent(AttachViewer())));
    EXPECT_FALSE(May(right, Sent(AskTraffic())));
    EXPECT_FALSE(May(right, Sent(TakeSnapshot())));
    EXPECT_FALSE(May(right, Sent(AdjustServer())));
    EXPECT_FALSE(May(right, Sent(StopServer())));
    EXPECT_FALSE(May(right, Sent(InviteGuest())));
    EXPECT_FALSE(May(right, Sent(WithdrawGuest())));
    EXPECT_FALSE(May(right, Sent(ListGuests())));
  }
  EXPECT_FALSE(May(Right::Look, Steering(ApplyRequest())));
  EXPECT_TRUE(May(Right::Steer, Steering(ApplyRequest())));
}

TEST(AccessRules, KeepWhatNobodyKnowsForTheOwner)
{
  Envelope unknown = Sent(Hello());
  unknown.Name = "format-disk";
  EXPECT_EQ(access::RightFor(unknown), Right::Own);
  for (const char* const event : access::ServersOwn())
  {
    unknown.Name = event;
    EXPECT_EQ(access::RightFor(unknown), Right::Own) << event;
  }
}

TEST(AccessRules, SayWhatIsMissingAndWhoCanGiveIt)
{
  EXPECT_EQ(TextOf(Fault::Refused,
              [] { access::Require({ "ada", Right::Look, 0, 0 }, Steering(ApplyRequest())); }),
    "the invitation of ada is to look only: it does not allow to steer. Ask the server's owner for "
    "one that does (dsm-invite --steer)");
  EXPECT_EQ(TextOf(Fault::Refused,
              [] { access::Require({ "ada", Right::Steer, 0, 0 }, Sent(BeginImage())); }),
    "the invitation of ada is to look and steer only: it does not allow to write, delete or be "
    "steered. Only who has the server's own contact file may");
}

// Neither is what it must be to be judged.
TEST(AccessRules, RefuseWhatCannotBeRead)
{
  Envelope broken = Steering(StatusRequest());
  broken.Body.resize(broken.Body.size() / 2);
  EXPECT_FALSE(May(Right::Steer, broken));
}

}
