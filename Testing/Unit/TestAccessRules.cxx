// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/AccessRules.h"

#include "Protocol/HostMessages.h"
#include "Protocol/ImageMessages.h"
#include "Protocol/SessionMessages.h"
#include "Protocol/SnapshotMessages.h"
#include "Server/Core/ServerMessages.h"
#include "Steering/SteeringMessages.h"

#include "ControlFixture.h"
#include "SimulatedServer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace
{

using namespace dsm;
using namespace dsm::testing;

RequestSteering Steering(const SteeringRequest& request)
{
  return { request, "eve" };
}

template <typename Message>
Right NeededFor(const Message& message)
{
  if constexpr (requires { message.Needed(); })
  {
    return message.Needed();
  }
  return Message::Needs;
}

template <typename Message>
bool May(Right right, const Message& message)
{
  try
  {
    access::Require({ "ada", right, 0, 0 }, NeededFor(message));
    return true;
  }
  catch (const Error& error)
  {
    EXPECT_EQ(error.GetFault(), Fault::Refused) << error.what();
    return false;
  }
}

// The requests that the headers declare: messages with a name and the right that they need.
std::set<std::string> Declared()
{
  std::set<std::string> names;
  const std::regex request(
    "static constexpr const char\\* Name = \"([^\"]+)\";\\s+static constexpr Right Needs");
  for (const char* const folder : { "Protocol", "Server/Core", "Steering" })
  {
    for (const auto& entry :
      std::filesystem::directory_iterator(std::filesystem::path(DSM_SOURCE) / "DSMCore" / folder))
    {
      if (entry.path().extension() == ".h")
      {
        std::stringstream text;
        text << std::ifstream(entry.path()).rdbuf();
        const std::string content = text.str();
        for (auto found = std::sregex_iterator(content.begin(), content.end(), request);
          found != std::sregex_iterator(); ++found)
        {
          names.insert((*found)[1]);
        }
      }
    }
  }
  return names;
}

// A request that nobody handles is a mistake, as is one that anybody may send.
TEST(AccessRules, TheCoreHandlesEveryRequestThatIsDeclared)
{
  SimulatedServer server;
  const auto handled = server.Core.Router.Names();
  EXPECT_GT(handled.size(), 25u);
  EXPECT_EQ(std::set<std::string>(handled.begin(), handled.end()), Declared());
}

TEST(AccessRules, LetGuestsLookAndNothingElse)
{
  for (const Right right : { Right::Look, Right::Steer })
  {
    EXPECT_TRUE(May(right, Hello()));
    EXPECT_TRUE(May(right, ListSnapshots()));
    EXPECT_TRUE(May(right, OpenSnapshot()));
    EXPECT_TRUE(May(right, AwaitSnapshot()));
    EXPECT_TRUE(May(right, CloseSnapshot()));
    EXPECT_TRUE(May(right, Steering(StatusRequest())));
    EXPECT_TRUE(May(right, Steering(WaitRequest())));
    EXPECT_TRUE(May(right, ReadInteractions{ {}, true }));
    EXPECT_FALSE(May(right, ReadInteractions{ {}, false })) << "what is pending takes effect";
    EXPECT_FALSE(May(right, BeginImage()));
    EXPECT_FALSE(May(right, ExtendImage()));
    EXPECT_FALSE(May(right, DeleteFile()));
    EXPECT_FALSE(May(right, NoteSaved()));
    EXPECT_FALSE(May(right, DeclareProgram()));
    EXPECT_FALSE(May(right, Steering(SaveRequest())));
    EXPECT_FALSE(May(right, Steering(DeclareRequest())));
    EXPECT_TRUE(May(right, AskStatus()));
    EXPECT_TRUE(May(right, WatchServer()));
    EXPECT_TRUE(May(right, TakeSnapshot()));
    EXPECT_FALSE(May(right, AttachViewer()));
    EXPECT_FALSE(May(right, AskTraffic()));
    EXPECT_FALSE(May(right, DropSnapshot()));
    EXPECT_FALSE(May(right, AdjustServer()));
    EXPECT_FALSE(May(right, StopServer()));
    EXPECT_FALSE(May(right, InviteGuest()));
    EXPECT_FALSE(May(right, WithdrawGuest()));
    EXPECT_FALSE(May(right, ListGuests()));
  }
  EXPECT_FALSE(May(Right::Look, Steering(ApplyRequest())));
  EXPECT_TRUE(May(Right::Steer, Steering(ApplyRequest())));
}

TEST(AccessRules, UnknownRequestsAreTheOwners)
{
  SimulatedServer server;
  Envelope unknown;
  unknown.Name = "format-disk";
  EXPECT_EQ(server.Core.Router.NeededFor(unknown), Right::Own);
  unknown.Name = PrepareMemory::Name; // an event, which only the server sends
  EXPECT_EQ(server.Core.Router.NeededFor(unknown), Right::Own);
}

TEST(AccessRules, SayWhatIsMissingAndWhoCanGiveIt)
{
  EXPECT_EQ(
    TextOf(Fault::Refused, [] { access::Require({ "ada", Right::Look, 0, 0 }, Right::Steer); }),
    "the invitation of ada is to look only: it does not allow to steer. Ask the server's owner for "
    "one that does (dsm-invite --steer)");
  EXPECT_EQ(
    TextOf(Fault::Refused, [] { access::Require({ "ada", Right::Steer, 0, 0 }, Right::Write); }),
    "the invitation of ada is to look and steer only: it does not allow to write, delete or be "
    "steered. Only who has the server's own contact file may");
}

TEST(AccessRules, RequestsThatCannotBeReadAreRefused)
{
  SimulatedServer server;
  Envelope broken;
  broken.Name = RequestSteering::Name;
  broken.Body = Encode(Steering(StatusRequest()));
  broken.Body.resize(broken.Body.size() / 2);
  EXPECT_THROW(server.Core.Router.NeededFor(broken), Error);
}

}
