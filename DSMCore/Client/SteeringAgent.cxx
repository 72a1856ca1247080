// SPDX-License-Identifier: BSD-3-Clause
#include "Client/SteeringAgent.h"

#include "Base/Log.h"
#include "Client/SteeringLink.h"
#include "Control/ServiceThread.h"

namespace dsm
{

namespace
{
constexpr Seconds FirstAttempt(8); // longer than one attempt
constexpr Seconds LongestEnd(0.75);
}

class SteeringAgent::Implementation
{
public:
  explicit Implementation(const std::shared_ptr<SteeringLink>& link)
    : Thread("dsm-steering", [link] { link->Run(); })
  {
  }
  ServiceThread Thread;
};

SteeringAgent::SteeringAgent(const std::string& contactPath, const PeerDescription& process)
  : Link(std::make_shared<SteeringLink>(contactPath, process))
  , News(this->Link->Messages().News())
  , Self(std::make_unique<Implementation>(this->Link))
{
  this->Link->WaitForAttempt(Deadline(FirstAttempt));
}

SteeringAgent::~SteeringAgent()
{
  if (this->Self->Thread.Forked())
  {
    [[maybe_unused]] auto* abandoned = this->Self.release();
    return;
  }
  this->Link->End();
  this->Self->Thread.Join(LongestEnd);
}

std::unique_ptr<ChangePlan> SteeringAgent::Take()
{
  return this->Link->Messages().Take();
}

void SteeringAgent::WaitForNews(const Deadline& deadline)
{
  this->Link->WaitForNews(deadline);
}

void SteeringAgent::Declare(const Declarations& declarations, NamedValues values)
{
  this->Link->Messages().Declare(declarations, std::move(values));
  this->Link->DeclareAnew();
}

void SteeringAgent::Report(std::unique_ptr<ChangePlan> carried)
{
  this->Link->Messages().Submit(std::move(carried));
}

void SteeringAgent::TellProgress(ReportProgress progress)
{
  this->Link->Messages().Submit(std::move(progress));
}

void SteeringAgent::OrderSave(const std::string& when, std::uint64_t commanded)
{
  std::string failure = "no server is connected";
  try
  {
    if (const auto channel = this->Link->Connection())
    {
      SaveRequest save;
      save.When = when;
      save.For = commanded;
      const auto answer = channel
                            ->Request(RequestSteering{ save, this->Link->Program() },
                              Deadline(SteeringLink::OneAttempt))
                            .Answer;
      const auto* outcome = std::get_if<Outcome>(&answer);
      failure = outcome && !outcome->Applied ? "it " + outcome->Refusals.at(0).Reason : "";
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
  return this->Link->Connection() != nullptr;
}

Seconds SteeringAgent::Disconnected() const
{
  return this->Link->Disconnected();
}

}
