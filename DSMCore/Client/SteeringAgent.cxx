// SPDX-License-Identifier: BSD-3-Clause
#include "Client/SteeringAgent.h"

#include "Base/Log.h"
#include "Client/SteeringAgentState.h"
#include "Control/Channel.h"
#include "Control/ServiceThread.h"

namespace dsm
{

namespace
{
using Json = nlohmann::json;

constexpr Seconds FirstAttempt(8); // longer than one attempt
constexpr Seconds LongestEnd(0.75);
}

class SteeringAgent::Implementation
{
public:
  explicit Implementation(const std::shared_ptr<State>& state)
    : Thread("dsm-steering", [state] { state->Run(); })
  {
  }
  ServiceThread Thread;
};

SteeringAgent::SteeringAgent(
  const std::string& contactPath, const std::string& program, std::uint64_t ranks)
  : Shared(std::make_shared<State>(contactPath, program, ranks))
  , News(&this->Shared->News)
  , Self(std::make_unique<Implementation>(this->Shared))
{
  std::unique_lock lock(this->Shared->Guard);
  this->Shared->Changed.wait_until(
    lock, Deadline(FirstAttempt).TimePoint(), [this] { return this->Shared->Attempted; });
}

SteeringAgent::~SteeringAgent()
{
  if (this->Self->Thread.Forked())
  {
    [[maybe_unused]] auto* abandoned = this->Self.release();
    return;
  }
  {
    const std::lock_guard lock(this->Shared->Guard);
    this->Shared->Ending = true;
  }
  this->Shared->Due.notify_all();
  this->Self->Thread.Join(LongestEnd);
}

std::unique_ptr<ChangePlan> SteeringAgent::Take()
{
  const std::lock_guard counter(this->Shared->Counter);
  this->Shared->News = false;
  return std::move(this->Shared->Ready);
}

void SteeringAgent::WaitForNews(const Deadline& deadline)
{
  std::unique_lock lock(this->Shared->Guard);
  const bool connected = this->Shared->Link != nullptr;
  this->Shared->Changed.wait_until(lock, deadline.TimePoint(),
    [&] { return this->Shared->News || (this->Shared->Link != nullptr) != connected; });
}

void SteeringAgent::Declare(const Declarations& declarations, Json values)
{
  {
    const std::lock_guard lock(this->Shared->Guard);
    this->Shared->LookAtFresh(nullptr); // their values are older than these
    this->Shared->Declared = { { "declarations", declarations }, { "values", std::move(values) } };
    this->Shared->Offered = std::make_shared<Declarations>(declarations);
    this->Shared->DeclareAgain = true;
    this->Shared->SetKnown(false);
    const std::lock_guard counter(this->Shared->Counter);
    if (this->Shared->Ready)
    {
      this->Shared->Ready->Renew(*this->Shared->Offered);
    }
  }
  this->Shared->Due.notify_all();
  // So that viewers know the parameter before the step in which it appears is over.
  std::unique_lock lock(this->Shared->Guard);
  this->Shared->Changed.wait_until(lock, Deadline(State::OneAttempt).TimePoint(),
    [this] { return this->Shared->Known || !this->Shared->Link; });
}

void SteeringAgent::Tell(std::unique_ptr<ChangePlan> carried)
{
  this->Shared->HandOver({ std::move(carried), nullptr });
}

void SteeringAgent::TellProgress(Json progress)
{
  this->Shared->HandOver({ nullptr, std::move(progress) });
}

void SteeringAgent::OrderSave(const std::string& when, std::uint64_t commanded)
{
  std::shared_ptr<Channel> link;
  {
    const std::lock_guard lock(this->Shared->Guard);
    link = this->Shared->Link;
  }
  std::string failure = "no server is connected";
  try
  {
    if (link)
    {
      const Json answer =
        link
          ->Request("steer",
            { { "request", { { "do", "save" }, { "when", when }, { "for", commanded } } },
              { "who", this->Shared->Program } },
            Deadline(State::OneAttempt))
          .at("answer");
      failure = answer.at("state") == "refused"
        ? "it " + answer.at("refusals").at(0).at("reason").get<std::string>()
        : std::string();
    }
  }
  catch (const std::exception& error)
  {
    failure = error.what();
  }
  if (!failure.empty())
  {
    Log().warn("the snapshot is not written to disk: {}", failure);
  }
}

bool SteeringAgent::Connected() const
{
  const std::lock_guard lock(this->Shared->Guard);
  return this->Shared->Link != nullptr;
}

Seconds SteeringAgent::Disconnected() const
{
  const std::lock_guard lock(this->Shared->Guard);
  return this->Shared->Link ? Seconds(0) : Seconds(Clock::now() - this->Shared->LostAt);
}

}
