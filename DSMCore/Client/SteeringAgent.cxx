// SPDX-License-Identifier: BSD-3-Clause
#include "Client/SteeringAgent.h"

#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Log.h"
#include "Control/Channel.h"
#include "Control/Messages.h"
#include "Control/ServiceThread.h"
#include "Session/Peer.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <random>
#include <utility>

#include <unistd.h>

namespace dsm
{

namespace
{
using Json = nlohmann::json;

constexpr Seconds FirstAttempt(8); // longer than one attempt
constexpr Seconds OneAttempt(5);   // to connect, say hello or declare
constexpr Seconds BetweenAttempts(1);
constexpr Seconds BetweenLooks(0.2); // whether the channel still lives
constexpr Seconds LongestEnd(0.75);

std::string NewInstance()
{
  std::random_device random;
  return fmt::format("{}-{:08x}{:08x}", getpid(), random(), random());
}
}

namespace
{
// What the time loop leaves behind, for the channel's thread to tell: a plan that was carried out,
// or, without one, its progress.
struct HandedOver
{
  std::unique_ptr<ChangePlan> Carried;
  Json Progress;
};
}

// What the agent, its thread and the channel's thread share.
class SteeringAgent::State : public std::enable_shared_from_this<SteeringAgent::State>
{
public:
  State(const std::string& path, const std::string& program, std::uint64_t ranks)
    : Path(AbsoluteName(path))
    , Program(program)
    , Who(DescribeThisProcess("steering", ranks))
  {
  }

  const std::string Path;
  const std::string Program;
  const PeerDescription Who;
  const std::string Instance = NewInstance();
  std::atomic<bool> News = false;

  /// What the time loop's thread takes and leaves in passing. Held for a few instructions only;
  /// whoever needs both locks takes Guard first.
  std::mutex Counter;
  std::unique_ptr<ChangePlan> Ready; ///< checked against what is offered now; null: nothing came
  std::vector<HandedOver> Fresh;     ///< in the time loop's order; not looked at yet
  std::shared_ptr<Channel> Teller;   ///< Link when it is Known, else null

  std::mutex Guard;                // for all that follows
  std::condition_variable Changed; ///< the time loop may wait for it
  std::condition_variable Due;     ///< wakes the thread that keeps the link up
  std::shared_ptr<Channel> Link;   ///< null while there is no connection
  std::string Server;              ///< the session whose numbers we have
  std::uint64_t Received = 0;      ///< the highest transaction number of that session
  std::shared_ptr<const Declarations> Offered = std::make_shared<Declarations>();
  std::deque<std::pair<std::uint64_t, Outcome>> Untold; ///< by ticket, not acknowledged
  std::uint64_t LastTicket = 0;
  Json Declared; ///< null before the first declaration
  bool DeclareAgain = false;
  bool Known = false; ///< the desk at the other end has our declarations
  bool Attempted = false;
  bool Ending = false;
  Clock::time_point LostAt = Clock::now();

  void Run();
  void Handle(const Json& event);
  void HandOver(HandedOver what);
  void LookAtFresh(std::vector<Json>* messages);
  void SetKnown(bool known);

private:
  std::shared_ptr<Channel> Connect();
  void Adopt(const std::shared_ptr<Channel>& link, const std::string& session);
  void SendDeclarations(const std::shared_ptr<Channel>& link);
  void Receive(const Json& transactions);
  static Json Ticketed(std::uint64_t ticket, const Outcome& outcome)
  {
    return { { "ticket", ticket }, { "outcome", outcome } };
  }
  std::vector<Json> ComposeFresh();
  std::vector<Json> ComposeUntold();
};

// In the channel's thread, while the time loop computes: only the end is done under the lock.
void SteeringAgent::State::Receive(const Json& transactions)
{
  std::shared_ptr<const Declarations> offered;
  std::uint64_t received = 0;
  {
    const std::lock_guard lock(this->Guard);
    offered = this->Offered;
    received = this->Received;
  }
  auto plan = std::make_unique<ChangePlan>();
  for (const auto& entry : transactions)
  {
    auto transaction = entry.get<Transaction>();
    if (transaction.Number > received)
    {
      received = transaction.Number;
      plan->Add(*offered, std::move(transaction));
    }
  }
  if (plan->Asked.empty())
  {
    return;
  }
  const std::lock_guard lock(this->Guard);
  if (offered != this->Offered)
  {
    plan->Renew(*this->Offered);
  }
  this->Received = received;
  const std::lock_guard counter(this->Counter);
  if (this->Ready)
  {
    this->Ready->Append(std::move(*plan));
  }
  else
  {
    this->Ready = std::move(plan);
  }
  this->News = true;
  this->Changed.notify_all();
}

void SteeringAgent::State::Handle(const Json& event)
{
  const auto what = event.value("event", std::string());
  if (what == "steer")
  {
    this->Receive(event.at("transactions"));
    return;
  }
  const std::lock_guard lock(this->Guard);
  if (what == "acknowledged")
  {
    std::uint64_t last = 0;
    for (const auto& ticket : event.at("tickets"))
    {
      last = std::max(last, ticket.get<std::uint64_t>());
    }
    while (!this->Untold.empty() && this->Untold.front().first <= last)
    {
      this->Untold.pop_front();
    }
  }
  else if (what == "stopping" || what == "forgotten")
  {
    this->Due.notify_all(); // the thread looks at once
  }
}

// In the time loop's thread.
void SteeringAgent::State::HandOver(HandedOver what)
{
  std::shared_ptr<Channel> teller;
  bool first = false;
  {
    const std::lock_guard counter(this->Counter);
    first = this->Fresh.empty();
    this->Fresh.push_back(std::move(what));
    teller = this->Teller;
  }
  if (!teller)
  {
    const std::lock_guard lock(this->Guard);
    this->LookAtFresh(nullptr); // nobody listens
  }
  else if (first)
  {
    teller->NotifyLater(
      [self = this->weak_from_this()]
      {
        const auto state = self.lock();
        return state ? state->ComposeFresh() : std::vector<Json>();
      });
  }
}

// With Guard held.
void SteeringAgent::State::SetKnown(bool known)
{
  this->Known = known;
  this->Changed.notify_all();
  const std::lock_guard counter(this->Counter);
  this->Teller = known ? this->Link : nullptr;
}

// With Guard held: keeps what is new, and adds to `messages` what there is to tell.
void SteeringAgent::State::LookAtFresh(std::vector<Json>* messages)
{
  std::vector<HandedOver> all;
  {
    const std::lock_guard counter(this->Counter);
    all.swap(this->Fresh);
  }
  for (auto& fresh : all)
  {
    if (!fresh.Carried)
    {
      this->Declared["values"].update(fresh.Progress.at("values"));
      if (messages)
      {
        fresh.Progress["ask"] = "progress";
        messages->push_back(std::move(fresh.Progress));
      }
      continue;
    }
    Json told = Json::array();
    for (Outcome& outcome : fresh.Carried->Settled())
    {
      // What the next server will hear first.
      for (const auto& change : outcome.Changes)
      {
        this->Declared["values"][change.Name] = change.New;
      }
      told.push_back(Ticketed(++this->LastTicket, outcome));
      this->Untold.emplace_back(this->LastTicket, std::move(outcome));
    }
    if (messages)
    {
      messages->push_back({ { "ask", "applied" }, { "outcomes", std::move(told) } });
    }
  }
}

std::vector<Json> SteeringAgent::State::ComposeFresh()
{
  std::vector<Json> messages;
  const std::lock_guard lock(this->Guard);
  this->LookAtFresh(&messages);
  return messages;
}

// What a desk may have missed; it ignores what comes twice.
std::vector<Json> SteeringAgent::State::ComposeUntold()
{
  const std::lock_guard lock(this->Guard);
  Json outcomes = Json::array();
  for (const auto& [ticket, outcome] : this->Untold)
  {
    outcomes.push_back(Ticketed(ticket, outcome));
  }
  std::vector<Json> messages;
  if (!outcomes.empty())
  {
    messages.push_back({ { "ask", "applied" }, { "outcomes", std::move(outcomes) } });
  }
  this->LookAtFresh(&messages);
  return messages;
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
    link->NotifyLater(
      [self = this->weak_from_this()]
      {
        const auto state = self.lock();
        return state ? state->ComposeUntold() : std::vector<Json>();
      });
    this->SetKnown(true);
  }
}

void SteeringAgent::State::Run()
{
  const auto wait = [this](Seconds limit, auto until)
  {
    std::unique_lock lock(this->Guard);
    this->Due.wait_until(
      lock, Deadline(limit).TimePoint(), [&] { return this->Ending || until(); });
    return this->Ending;
  };
  // Once, however often it fails.
  auto told = [last = std::string()](
                spdlog::level::level_enum level, const std::string& why) mutable
  {
    if (std::exchange(last, why) != why)
    {
      Log().log(level, "not steered for now: {}", why);
    }
  };
  for (bool ending = false; !ending;)
  {
    std::shared_ptr<Channel> link;
    try
    {
      // A look that costs nothing, where most of the time there is no server.
      if (std::error_code none; std::filesystem::exists(this->Path, none))
      {
        link = this->Connect();
        bool again = false;
        do
        {
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
          ending = wait(BetweenLooks, [&] { return this->DeclareAgain || !link->Alive(); });
        } while (!ending && link->Alive());
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
    {
      const std::lock_guard lock(this->Guard);
      if (this->Link)
      {
        this->LostAt = Clock::now();
        this->Link.reset();
        this->SetKnown(false);
      }
      this->Attempted = true;
      this->Changed.notify_all();
    }
    link.reset(); // says goodbye
    ending = ending || wait(BetweenAttempts, [] { return false; });
  }
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
  this->Shared->Changed.wait_until(lock, Deadline(OneAttempt).TimePoint(),
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
            Deadline(OneAttempt))
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
