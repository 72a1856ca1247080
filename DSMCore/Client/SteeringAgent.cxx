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

  std::mutex Guard;
  std::condition_variable Changed;
  std::shared_ptr<Channel> Link; ///< null while there is no connection
  std::string Server;            ///< the session whose numbers we have
  std::uint64_t Received = 0;    ///< the highest transaction number of that session
  std::deque<Transaction> Waiting;
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
  static void Notify(const std::shared_ptr<Channel>& link, const std::string& what, Json message)
  {
    if (link)
    {
      link->Notify(what, std::move(message));
    }
  }

private:
  std::shared_ptr<Channel> Connect();
  void Adopt(const std::shared_ptr<Channel>& link, const std::string& session);
  void SendDeclarations(const std::shared_ptr<Channel>& link);
  void SendUntold(const std::shared_ptr<Channel>& link);
};

void SteeringAgent::State::Handle(const Json& event)
{
  const auto what = event.value("event", std::string());
  const std::lock_guard lock(this->Guard);
  if (what == "steer")
  {
    for (const auto& entry : event.at("transactions"))
    {
      auto transaction = entry.get<Transaction>();
      if (transaction.Number > this->Received)
      {
        this->Received = transaction.Number;
        this->Waiting.push_back(std::move(transaction));
      }
    }
    this->News = !this->Waiting.empty();
    this->Changed.notify_all();
  }
  else if (what == "acknowledged")
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
    this->Changed.notify_all(); // the thread looks at once
  }
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
    this->Untold.clear();
    for (auto& transaction : this->Waiting)
    {
      transaction.Number = 0;
    }
  }
  this->Link = link;
  this->Known = false;
  this->DeclareAgain = !this->Declared.is_null();
}

void SteeringAgent::State::SendDeclarations(const std::shared_ptr<Channel>& link)
{
  Json message;
  {
    const std::lock_guard lock(this->Guard);
    message = this->Declared;
    message["program"] = this->Program;
    message["instance"] = this->Instance;
    message["received"] = this->Received;
    this->DeclareAgain = false;
  }
  link->Request("declare", std::move(message), Deadline(OneAttempt));
  {
    const std::lock_guard lock(this->Guard);
    this->Known = !this->DeclareAgain;
    this->Changed.notify_all();
  }
  // Those told from now on go by themselves; the desk ignores what comes twice.
  this->SendUntold(link);
}

void SteeringAgent::State::SendUntold(const std::shared_ptr<Channel>& link)
{
  Json outcomes = Json::array();
  {
    const std::lock_guard lock(this->Guard);
    for (const auto& [ticket, outcome] : this->Untold)
    {
      outcomes.push_back({ { "ticket", ticket }, { "outcome", outcome } });
    }
  }
  if (!outcomes.empty())
  {
    Notify(link, "applied", { { "outcomes", std::move(outcomes) } });
  }
}

void SteeringAgent::State::Run()
{
  const auto wait = [this](Seconds limit, auto until)
  {
    std::unique_lock lock(this->Guard);
    this->Changed.wait_until(
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
        this->Known = false;
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
  this->Shared->Changed.notify_all();
  this->Self->Thread.Join(LongestEnd);
}

std::vector<Transaction> SteeringAgent::Take()
{
  const std::lock_guard lock(this->Shared->Guard);
  this->Shared->News = false;
  const auto taken = std::exchange(this->Shared->Waiting, {});
  return { taken.begin(), taken.end() };
}

void SteeringAgent::WaitForNews(const Deadline& deadline)
{
  std::unique_lock lock(this->Shared->Guard);
  const bool connected = this->Shared->Link != nullptr;
  this->Shared->Changed.wait_until(lock, deadline.TimePoint(),
    [&] { return this->Shared->News || (this->Shared->Link != nullptr) != connected; });
}

void SteeringAgent::Declare(Json declarations, Json values)
{
  {
    const std::lock_guard lock(this->Shared->Guard);
    this->Shared->Declared = { { "declarations", std::move(declarations) },
      { "values", std::move(values) } };
    this->Shared->DeclareAgain = true;
    this->Shared->Known = false;
  }
  this->Shared->Changed.notify_all();
  // So that viewers know the parameter before the step in which it appears is over.
  std::unique_lock lock(this->Shared->Guard);
  this->Shared->Changed.wait_until(lock, Deadline(OneAttempt).TimePoint(),
    [this] { return this->Shared->Known || !this->Shared->Link; });
}

void SteeringAgent::Tell(const std::vector<Outcome>& outcomes)
{
  std::shared_ptr<Channel> link;
  Json told = Json::array();
  {
    const std::lock_guard lock(this->Shared->Guard);
    link = this->Shared->Known ? this->Shared->Link : nullptr;
    for (const Outcome& outcome : outcomes)
    {
      const std::uint64_t ticket = ++this->Shared->LastTicket;
      this->Shared->Untold.emplace_back(ticket, outcome);
      if (outcome.Applied && !this->Shared->Declared.is_null())
      {
        // What the next server will hear first.
        for (const auto& change : outcome.Changes)
        {
          this->Shared->Declared["values"][change.Name] = change.New;
        }
      }
      if (link)
      {
        told.push_back({ { "ticket", ticket }, { "outcome", outcome } });
      }
    }
  }
  State::Notify(link, "applied", { { "outcomes", std::move(told) } });
}

void SteeringAgent::TellProgress(Json progress)
{
  std::shared_ptr<Channel> link;
  {
    const std::lock_guard lock(this->Shared->Guard);
    link = this->Shared->Known ? this->Shared->Link : nullptr;
    if (!this->Shared->Declared.is_null())
    {
      this->Shared->Declared["values"].update(progress.at("values"));
    }
  }
  State::Notify(link, "progress", std::move(progress));
}

void SteeringAgent::OrderSave(const std::string& when)
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
      const Json answer = link
                            ->Request("steer",
                              { { "request", { { "do", "save" }, { "when", when } } },
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
