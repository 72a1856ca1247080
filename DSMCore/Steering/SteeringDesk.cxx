// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/SteeringDesk.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/Log.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dsm
{

namespace
{
using Json = nlohmann::json;

constexpr std::size_t MostPending = 100000;
constexpr std::ptrdiff_t MostUnderWay = 64;
constexpr std::size_t MostPrograms = 16;
constexpr double LongestWait = 3600;

Transaction ReadTransaction(const Json& request)
{
  Transaction asked;
  const Json set = request.value("set", Json::object());
  const Json commands = request.value("commands", Json::array());
  if (!set.is_object() || !commands.is_array())
  {
    throw Error(Fault::Usage,
      "\"set\" of a steering request is an object of names and values, and \"commands\" an array");
  }
  for (const auto& [name, value] : set.items())
  {
    asked.Set.emplace_back(name, value);
  }
  for (const auto& command : commands)
  {
    asked.Commands.emplace_back(
      command.at("name").get<std::string>(), command.value("argument", Json()));
  }
  if (asked.Set.empty() && asked.Commands.empty())
  {
    throw Error(Fault::Usage, "nothing to apply: the request names no parameter and no command");
  }
  return asked;
}

bool Names(const Transaction& transaction, const std::string& command)
{
  return std::any_of(transaction.Commands.begin(), transaction.Commands.end(),
    [&](const auto& entry) { return entry.first == command; });
}
}

SteeringDesk::SteeringDesk(const std::string& logPath, Mail mail, Orphaned orphaned)
  : Post(std::move(mail))
  , WhenViewerDies(orphaned)
  , Book(logPath)
{
}

bool SteeringDesk::Handles(const std::string& ask)
{
  return ask == "declare" || ask == "applied" || ask == "progress" || ask == "steer" ||
    ask == "interactions";
}

void SteeringDesk::Received(const std::string& peer, const Json& message)
{
  const auto ask = message.at("ask").get<std::string>();
  const std::lock_guard lock(this->Guard);
  if (ask == "declare")
  {
    this->Declare(peer, message);
  }
  else if (ask == "applied")
  {
    this->Applied(peer, message);
  }
  else if (ask == "progress")
  {
    this->Progress(peer, message);
  }
  else if (ask == "interactions")
  {
    this->Post.Reply(peer, message, this->Look(message, message.value("at", 0.0)));
  }
  else
  {
    this->Steer(peer, message);
  }
}

SteeringProgram* SteeringDesk::ByPeer(const std::string& peer)
{
  const auto found = std::find_if(this->Programs.begin(), this->Programs.end(),
    [&](const auto& program) { return program.Peer == peer; });
  return found == this->Programs.end() ? nullptr : &*found;
}

std::string SteeringDesk::FreeName(const std::string& program) const
{
  const auto taken = [this](const std::string& name)
  {
    return std::any_of(this->Programs.begin(), this->Programs.end(),
      [&](const auto& known) { return known.Name == name; });
  };
  std::string name = program;
  for (int count = 2; taken(name); ++count)
  {
    name = fmt::format("{} {}", program, count);
  }
  return name;
}

// A run that is over makes way for the next of its name; and there is an end to how many are kept.
void SteeringDesk::ForgetPredecessors(const std::string& program)
{
  std::size_t surplus = this->Programs.size() < MostPrograms ? 0 : 1;
  for (auto known = this->Programs.begin(); known != this->Programs.end();)
  {
    const bool over = known->Now != SteeringProgram::State::Connected;
    if (over && (known->Program == program || surplus > 0))
    {
      surplus = 0;
      this->RefusePending(*known, "the simulation has gone, and another run took its place");
      known = this->Programs.erase(known);
    }
    else
    {
      ++known;
    }
  }
}

void SteeringDesk::Declare(const std::string& peer, const Json& message)
{
  const auto instance = message.at("instance").get<std::string>();
  const auto received = message.at("received").get<std::uint64_t>();
  auto known = std::find_if(this->Programs.begin(), this->Programs.end(),
    [&](const auto& program) { return program.Instance == instance; });
  if (known == this->Programs.end())
  {
    SteeringProgram made;
    made.Program = message.at("program").get<std::string>();
    made.Instance = instance;
    made.Declare(message);
    this->ForgetPredecessors(made.Program);
    made.Name = this->FreeName(made.Program);
    Log().info("{} can be steered: {} parameters, {} commands", made.Name,
      made.Offered().Parameters.size(), made.Offered().Commands.size());
    this->Programs.push_back(std::move(made));
    known = this->Programs.end() - 1;
  }
  else
  {
    known->Declare(message);
  }
  known->Peer = peer;
  known->Now = SteeringProgram::State::Connected;
  this->Post.Reply(peer, message, Json::object());
  known->Sent = received;
  this->Deliver(*known);
  this->Changed.notify_all();
}

void SteeringDesk::Applied(const std::string& peer, const Json& message)
{
  SteeringProgram* program = this->ByPeer(peer);
  Json numbers = Json::array();
  for (const auto& entry : message.at("outcomes"))
  {
    auto outcome = entry.at("outcome").get<Outcome>();
    const auto ticket = entry.at("ticket").get<std::uint64_t>();
    numbers.push_back(ticket);
    if (!program || ticket <= program->LastTicket)
    {
      continue; // heard before
    }
    program->LastTicket = ticket;
    if (outcome.Number > 0)
    {
      program->Pending.erase(outcome.Number);
    }
    else
    {
      outcome.Number = ++this->LastNumber; // a replay's: it chose for itself
    }
    if (outcome.Applied)
    {
      program->Applied(outcome);
      this->Book.Add(program->Name, outcome);
      const auto pausing = this->Pausing.find(outcome.Number);
      if (pausing != this->Pausing.end())
      {
        program->PausedBy = pausing->second;
      }
    }
    if (!this->WaitsForFile(*program, outcome))
    {
      this->Settle(std::move(outcome));
    }
  }
  this->Post.Send(peer, { { "event", "acknowledged" }, { "tickets", std::move(numbers) } });
  if (program)
  {
    this->Deliver(*program);
  }
}

void SteeringDesk::Progress(const std::string& peer, const Json& message)
{
  if (SteeringProgram* program = this->ByPeer(peer))
  {
    program->Progress(message);
    this->Changed.notify_all();
  }
}

// A viewer's request over the control channel.
void SteeringDesk::Steer(const std::string& peer, const Json& message)
{
  const Json& request = message.at("request");
  if (request.at("do") == "wait")
  {
    const auto number = request.at("transaction").get<std::uint64_t>();
    const double seconds = std::clamp(request.value("seconds", 0.0), 0.0, LongestWait);
    Json now = this->Found(number);
    if (seconds == 0 || now.at("state") != "pending")
    {
      this->Post.Reply(peer, message, { { "answer", std::move(now) } });
    }
    else
    {
      this->Waits.push_back({ peer, message, number, Deadline(Seconds(seconds)) });
    }
    return;
  }
  const auto who = message.value("who", std::string("a viewer"));
  this->Post.Reply(peer, message, { { "answer", this->AnswerNow(request, who, peer) } });
}

void SteeringDesk::Gone(const std::string& peer, bool lost)
{
  const std::lock_guard lock(this->Guard);
  std::erase_if(this->Waits, [&](const Waiting& waiting) { return waiting.Peer == peer; });
  for (SteeringProgram& program : this->Programs)
  {
    if (program.Peer == peer)
    {
      program.Peer.clear();
      this->FilesGone(program.Instance);
      program.Now = lost ? SteeringProgram::State::Lost : SteeringProgram::State::Ended;
      if (!lost)
      {
        this->RefusePending(program, "the simulation ended before its next step");
      }
    }
    else if (lost && (program.PausedBy == peer || this->MayBePausedBy(program, peer)))
    {
      this->Orphan(program);
    }
  }
  this->Changed.notify_all();
}

// The viewer that paused it has vanished, and would never end the pause.
void SteeringDesk::Orphan(SteeringProgram& program)
{
  program.PausedBy.clear();
  if (this->WhenViewerDies == Orphaned::Stay)
  {
    Log().warn("the viewer that paused {} has vanished: it stays paused (DSM_WHEN_VIEWER_DIES) "
               "until somebody resumes it",
      program.Name);
    return;
  }
  Transaction resume;
  resume.Who = "the server, as the viewer that paused it has vanished";
  resume.Commands.emplace_back("resume", Json());
  this->Enter(program, std::move(resume), {});
}

// Whether a pause that this viewer wanted is still on its way.
bool SteeringDesk::MayBePausedBy(const SteeringProgram& program, const std::string& peer) const
{
  return std::any_of(this->Pausing.begin(), this->Pausing.end(), [&](const auto& pausing)
    { return pausing.second == peer && program.Pending.count(pausing.first) > 0; });
}

void SteeringDesk::Tick()
{
  const std::lock_guard lock(this->Guard);
  this->FilesLate();
  std::erase_if(this->Waits,
    [this](const Waiting& waiting)
    {
      const bool over = waiting.Until.Expired();
      if (over)
      {
        this->Post.Reply(
          waiting.Peer, waiting.Request, { { "answer", this->Found(waiting.Number) } });
      }
      return over;
    });
}

// All requests but "wait".
Json SteeringDesk::AnswerNow(const Json& request, const std::string& who, const std::string& peer)
{
  const auto what = request.at("do").get<std::string>();
  if (what == "apply")
  {
    return this->Apply(request, who, peer);
  }
  if (what == "save")
  {
    return this->Save(request, who);
  }
  if (what == "declare")
  {
    return this->DeclareServed(request);
  }
  if (what == "status")
  {
    return this->Status(request);
  }
  throw Error(Fault::Usage,
    "a steering request can apply, wait, save, declare or ask for the status, not \"{}\"", what);
}

Json SteeringDesk::Answer(const Json& request, const std::string& who)
{
  std::unique_lock lock(this->Guard);
  if (request.at("do") != "wait")
  {
    return this->AnswerNow(request, who, {});
  }
  const auto number = request.at("transaction").get<std::uint64_t>();
  const Deadline deadline(Seconds(std::clamp(request.value("seconds", 0.0), 0.0, LongestWait)));
  this->Changed.wait_until(lock, deadline.TimePoint(),
    [&] { return this->Closed || this->Found(number).at("state") != "pending"; });
  return this->Found(number);
}

bool SteeringDesk::AnyPaused() const
{
  const std::lock_guard lock(this->Guard);
  return std::any_of(this->Programs.begin(), this->Programs.end(), [](const auto& program)
    { return program.Now == SteeringProgram::State::Connected && program.Paused(); });
}

void SteeringDesk::Close()
{
  {
    const std::lock_guard lock(this->Guard);
    this->Closed = true;
  }
  this->Changed.notify_all();
}

SteeringProgram& SteeringDesk::Chosen(const Json& request)
{
  const auto name = request.value("program", std::string());
  std::string names;
  for (auto program = this->Programs.rbegin(); program != this->Programs.rend(); ++program)
  {
    const bool over = program->Now == SteeringProgram::State::Ended;
    if (name.empty() ? !over : program->Name == name)
    {
      return *program;
    }
    names += (names.empty() ? "" : ", ") + program->Name;
  }
  if (name.empty())
  {
    throw Error(Fault::Refused,
      "no simulation that can be steered is connected: it calls dsm_open, and dsm_step in its "
      "time loop (dsm.h)");
  }
  throw Error(Fault::Refused, "no simulation called {} can be steered: there is {}", name,
    names.empty() ? "none" : names);
}

Json SteeringDesk::Apply(const Json& request, const std::string& who, const std::string& peer)
{
  SteeringProgram& program = this->Chosen(request);
  Transaction asked = ReadTransaction(request);
  asked.Who = request.value("who", who);
  auto refusals = Check(program.Offered(), asked);
  if (program.Now == SteeringProgram::State::Ended)
  {
    refusals.push_back({ program.Name, "this simulation has ended" });
  }
  if (program.Pending.size() >= MostPending)
  {
    refusals.push_back({ program.Name,
      fmt::format("{} changes wait for this simulation's next step already", MostPending) });
  }
  if (!refusals.empty())
  {
    Outcome refused;
    refused.Number = ++this->LastNumber;
    refused.Who = asked.Who;
    refused.Refusals = std::move(refusals);
    Json answer = refused;
    this->Settle(std::move(refused));
    return answer;
  }
  this->Enter(program, std::move(asked), peer);
  return this->Found(this->LastNumber);
}

void SteeringDesk::Enter(SteeringProgram& program, Transaction transaction, const std::string& peer)
{
  transaction.Number = ++this->LastNumber;
  if (!peer.empty() && Names(transaction, "pause"))
  {
    this->Pausing[transaction.Number] = peer;
  }
  program.Pending.emplace(transaction.Number, std::move(transaction));
  this->Deliver(program);
}

// Sends what was not sent, but no more at a time than a simulation that is slow to look may leave
// unanswered: a message too many for its queue would be lost.
void SteeringDesk::Deliver(SteeringProgram& program)
{
  if (program.Now != SteeringProgram::State::Connected || program.Served)
  {
    return;
  }
  auto next = program.Pending.upper_bound(program.Sent);
  auto underWay = std::distance(program.Pending.begin(), next);
  Json transactions = Json::array();
  for (; next != program.Pending.end() && underWay < MostUnderWay; ++next, ++underWay)
  {
    program.Sent = next->first;
    transactions.push_back(next->second);
  }
  if (!transactions.empty())
  {
    this->Post.Send(
      program.Peer, { { "event", "steer" }, { "transactions", std::move(transactions) } });
  }
}

void SteeringDesk::Settle(Outcome outcome)
{
  const std::uint64_t number = outcome.Number;
  this->Pausing.erase(number);
  this->Outcomes[number] = std::move(outcome);
  if (this->Outcomes.size() > MostOutcomes)
  {
    this->Outcomes.erase(this->Outcomes.begin());
  }
  std::erase_if(this->Waits,
    [&](const Waiting& waiting)
    {
      const bool answered = waiting.Number == number;
      if (answered)
      {
        this->Post.Reply(waiting.Peer, waiting.Request, { { "answer", this->Found(number) } });
      }
      return answered;
    });
  this->Changed.notify_all();
}

void SteeringDesk::RefusePending(SteeringProgram& program, const std::string& why)
{
  for (auto& [number, transaction] : std::exchange(program.Pending, {}))
  {
    Outcome refused;
    refused.Number = number;
    refused.Who = transaction.Who;
    refused.Refusals.push_back({ program.Name, why });
    this->Settle(std::move(refused));
  }
}

SteeringDesk::Orphaned OrphanedFromEnvironment()
{
  const auto policy = environment::Text("DSM_WHEN_VIEWER_DIES").value_or("resume");
  if (policy != "resume" && policy != "stay")
  {
    throw Error(Fault::Usage,
      "DSM_WHEN_VIEWER_DIES is {}: it can be resume or stay (what a paused simulation does)",
      policy);
  }
  return policy == "resume" ? SteeringDesk::Orphaned::Resume : SteeringDesk::Orphaned::Stay;
}

}
