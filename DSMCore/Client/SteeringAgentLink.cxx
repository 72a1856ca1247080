// SPDX-License-Identifier: BSD-3-Clause
// The steering agent's link: a thread that looks for the server, connects, declares, and begins
// anew when the connection was lost.
#include "Client/SteeringAgentState.h"

#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Log.h"
#include "Control/Channel.h"
#include "Control/Messages.h"

#include <filesystem>
#include <random>

#include <unistd.h>

namespace dsm
{

namespace
{
using Json = nlohmann::json;

constexpr Seconds BetweenAttempts(1);
constexpr Seconds BetweenLooks(0.2); // whether the channel still lives

std::string NewInstance()
{
  std::random_device random;
  return fmt::format("{}-{:08x}{:08x}", getpid(), random(), random());
}
}

SteeringAgent::State::State(
  const std::string& path, const std::string& program, std::uint64_t ranks)
  : Path(AbsoluteName(path))
  , Program(program)
  , Who(DescribeThisProcess("steering", ranks))
  , Instance(NewInstance())
{
}

// A connection that the server has welcomed; throws otherwise.
std::shared_ptr<Channel> SteeringAgent::State::Connect()
{
  const Deadline deadline(OneAttempt);
  const Contact contact = ReadContact(this->Path, deadline);
  auto link = std::make_shared<Channel>(contact, this->Path,
    [self = this->weak_from_this()](const Json& event)
    {
      if (const auto state = self.lock())
      {
        state->Handle(event);
      }
    });
  const Json welcome =
    link->Request("hello", { { "protocol", ProtocolVersion }, { "peer", this->Who } }, deadline);
  this->Adopt(link, welcome.at("server").get<ServerDescription>().Session);
  return link;
}

void SteeringAgent::State::Adopt(const std::shared_ptr<Channel>& link, const std::string& session)
{
  const std::lock_guard lock(this->Guard);
  if (session != this->Server)
  {
    // Another server counts from 1 again and knows nothing of the old one's transactions: those
    // that wait still count, as changes of our own.
    this->Server = session;
    this->Received = 0;
    this->LookAtFresh(nullptr);
    this->Untold.clear();
    const std::lock_guard counter(this->Counter);
    for (std::size_t index = 0; this->Ready && index < this->Ready->Asked.size(); ++index)
    {
      this->Ready->Asked[index].Number = this->Ready->Outcomes[index].Number = 0;
    }
  }
  this->Link = link;
  this->SetKnown(false);
  this->DeclareAgain = !this->Declared.is_null();
}

void SteeringAgent::State::SendDeclarations(const std::shared_ptr<Channel>& link)
{
  Json message;
  {
    const std::lock_guard lock(this->Guard);
    this->LookAtFresh(nullptr);
    message = this->Declared;
    message["program"] = this->Program;
    message["instance"] = this->Instance;
    message["received"] = this->Received;
    this->DeclareAgain = false;
  }
  link->Request("declare", std::move(message), Deadline(OneAttempt));
  const std::lock_guard lock(this->Guard);
  if (!this->DeclareAgain)
  {
    // Before anything newer: the desk takes outcomes in the order of their tickets only.
    this->TellLater(*link, &State::ComposeUntold);
    this->SetKnown(true);
  }
}

// Waits, also for what wakes the thread. True when all ends.
bool SteeringAgent::State::EndsWithin(Seconds limit, const std::function<bool()>& orUntil)
{
  std::unique_lock lock(this->Guard);
  this->Due.wait_until(
    lock, Deadline(limit).TimePoint(), [&] { return this->Ending || orUntil(); });
  return this->Ending;
}

// Connects, and declares as often as it is due, until the connection breaks or all ends.
void SteeringAgent::State::Serve()
{
  const auto link = this->Connect();
  do
  {
    bool again = false;
    {
      const std::lock_guard lock(this->Guard);
      again = this->DeclareAgain;
      this->Attempted = true;
      this->Changed.notify_all();
    }
    if (again)
    {
      this->SendDeclarations(link);
    }
  } while (!this->EndsWithin(BetweenLooks, [&] { return this->DeclareAgain || !link->Alive(); }) &&
    link->Alive());
}

// Also after an attempt that came to nothing.
void SteeringAgent::State::Lost()
{
  std::shared_ptr<Channel> gone; // says goodbye when the lock is free
  const std::lock_guard lock(this->Guard);
  if (this->Link)
  {
    this->LostAt = Clock::now();
    gone = std::move(this->Link);
    this->SetKnown(false);
  }
  this->Attempted = true;
  this->Changed.notify_all();
}

void SteeringAgent::State::Run()
{
  // Once, however often it fails.
  auto told = [last = std::string()](
                spdlog::level::level_enum level, const std::string& why) mutable
  {
    if (std::exchange(last, why) != why)
    {
      Log().log(level, "not steered for now: {}", why);
    }
  };
  do
  {
    try
    {
      // A look that costs nothing, where most of the time there is no server.
      if (std::error_code none; std::filesystem::exists(this->Path, none))
      {
        this->Serve();
      }
      else
      {
        told(spdlog::level::info,
          fmt::format("{} is not there; it is looked for once a second", this->Path));
      }
    }
    catch (const Error& error)
    {
      // A server that is gone is ordinary; what is no contact file, or not ours, will not mend
      // itself.
      const bool ordinary = error.GetFault() != Fault::Usage && error.GetFault() != Fault::Refused;
      told(ordinary ? spdlog::level::info : spdlog::level::warn, error.what());
    }
    catch (const std::exception& error)
    {
      told(spdlog::level::info, error.what());
    }
    this->Lost();
  } while (!this->EndsWithin(BetweenAttempts, [] { return false; }));
}

}
