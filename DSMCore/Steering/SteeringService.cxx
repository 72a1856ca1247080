// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/SteeringService.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/Log.h"
#include "Base/WallClock.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

namespace dsm
{

namespace
{
constexpr std::size_t MostPending = 100000;
constexpr std::ptrdiff_t MostUnderWay = 64;
constexpr double LongestWait = 3600;
constexpr std::ptrdiff_t MostWaits = 1000; // of one peer

bool Names(const Transaction& transaction, const std::string& command)
{
  return std::any_of(transaction.Commands.begin(), transaction.Commands.end(),
    [&](const auto& entry) { return entry.first == command; });
}

Deadline DeadlineOf(const WaitRequest& wait)
{
  return Deadline(Seconds(std::clamp(wait.Seconds, 0.0, LongestWait)));
}

Outcome Refused(const std::string& name, const std::string& reason)
{
  Outcome outcome;
  outcome.Refusals.push_back({ name, reason });
  return outcome;
}

NamedValues NewValues(const Outcome& outcome)
{
  NamedValues values;
  for (const auto& change : outcome.Changes)
  {
    values[change.Name] = change.New;
  }
  return values;
}
}

SteeringService::SteeringService(
  const std::string& logPath, Callbacks callbacks, ViewerLoss viewerLoss)
  : Call(std::move(callbacks))
  , WhenViewerDies(viewerLoss)
  , Journal(logPath)
{
}

void SteeringService::Declare(const PeerId& peer, const DeclareProgram& message)
{
  const std::lock_guard lock(this->Guard);
  const bool isNew = std::none_of(this->Programs.All().begin(), this->Programs.All().end(),
    [&](const auto& program) { return program.Instance == message.Instance; });
  std::vector<SteeringProgram> replaced;
  SteeringProgram& program = this->Programs.Declare(message, replaced);
  this->RefuseReplaced(replaced);
  if (isNew)
  {
    Log().info("{} can be steered: {} parameters, {} commands", program.Name,
      program.Offered().Parameters.size(), program.Offered().Commands.size());
  }
  this->Values.Enter(program.Instance, message.Values, WallTime());
  program.Peer = peer;
  program.Now = SteeringProgram::State::Connected;
  program.Sent = message.Received;
  this->Deliver(program);
  this->Changed.notify_all();
}

void SteeringService::Receive(const PeerId& peer, const ReportOutcomes& message)
{
  const std::lock_guard lock(this->Guard);
  SteeringProgram* program = this->Programs.ByPeer(peer);
  OutcomesAcknowledged acknowledged;
  for (const TicketedOutcome& told : message.Outcomes)
  {
    acknowledged.Tickets.push_back(told.Ticket);
    if (!program || told.Ticket <= program->LastTicket)
    {
      continue; // heard before
    }
    program->LastTicket = told.Ticket;
    Outcome outcome = told.What;
    if (outcome.Number > 0)
    {
      program->Pending.erase(outcome.Number);
      this->SaveArrays(*program, outcome);
    }
    else
    {
      outcome.Number = this->Outcomes.Next(); // a replay's: it chose for itself
    }
    if (outcome.Applied)
    {
      program->Applied(outcome);
      this->Values.Enter(program->Instance, NewValues(outcome), WallTime());
      this->Journal.Add(program->Name, outcome);
      const auto pausing = this->Pausing.find(outcome.Number);
      if (pausing != this->Pausing.end())
      {
        program->PausedBy = pausing->second;
      }
    }
    if (auto passed = this->Files.Pass(program->Instance, std::move(outcome)))
    {
      this->Complete(std::move(*passed));
    }
  }
  this->Call.Acknowledge(peer, acknowledged);
  if (program)
  {
    this->Deliver(*program);
  }
}

void SteeringService::Receive(const PeerId& peer, const ReportProgress& message)
{
  const std::lock_guard lock(this->Guard);
  if (SteeringProgram* program = this->Programs.ByPeer(peer))
  {
    program->Progress(message);
    this->Values.Enter(program->Instance, message.Values, WallTime());
    this->Changed.notify_all();
  }
}

void SteeringService::Request(const RequestId& request, const RequestSteering& message)
{
  const std::lock_guard lock(this->Guard);
  const auto* wait = std::get_if<WaitRequest>(&message.Request);
  if (!wait)
  {
    this->Call.Answer(request, this->AnswerNow(message.Request, message.Who, request.Peer));
  }
  else if (SteeringAnswer now = this->Found(wait->Transaction);
    wait->Seconds <= 0 || !std::holds_alternative<PendingAnswer>(now))
  {
    this->Call.Answer(request, now);
  }
  else
  {
    if (std::count_if(this->Waits.begin(), this->Waits.end(),
          [&](const auto& one) { return one.Request.Peer == request.Peer; }) >= MostWaits)
    {
      throw Error(Fault::Refused, "this program waits for {} transactions already", MostWaits);
    }
    this->Waits.push_back({ request, wait->Transaction, DeadlineOf(*wait) });
  }
}

ProgramInteractions SteeringService::Read(const ReadInteractions& message, double step)
{
  const std::lock_guard lock(this->Guard);
  SteeringProgram* found = this->Programs.FindForReading(message.Program);
  if (!found)
  {
    ProgramInteractions none;
    none.Program = message.Program;
    return none;
  }
  if (found->Polls && !message.Peek)
  {
    for (auto& [number, transaction] : std::exchange(found->Pending, {}))
    {
      Outcome outcome = found->Take(transaction, static_cast<std::int64_t>(step), step);
      if (outcome.Applied)
      {
        this->Journal.Add(found->Name, outcome);
      }
      this->Complete(std::move(outcome));
    }
  }
  return found->Interactions();
}

void SteeringService::Gone(const PeerId& peer, bool lost)
{
  const std::lock_guard lock(this->Guard);
  std::erase_if(
    this->Waits, [&](const WaitingRequest& waiting) { return waiting.Request.Peer == peer; });
  for (SteeringProgram& program : this->Programs.All())
  {
    if (program.Peer == peer)
    {
      program.Peer.clear();
      program.Now = lost ? SteeringProgram::State::Lost : SteeringProgram::State::Ended;
      for (Outcome& outcome : this->Files.TakeOf(program.Instance))
      {
        this->Complete(std::move(outcome));
      }
      if (!lost)
      {
        this->RefusePending(program, "the simulation ended before its next step");
      }
    }
    else if (lost && (program.PausedBy == peer || this->MayBePausedBy(program, peer)))
    {
      this->ApplyViewerLoss(program);
    }
  }
  this->Changed.notify_all();
}

// The viewer that paused it has vanished, and would never end the pause.
void SteeringService::ApplyViewerLoss(SteeringProgram& program)
{
  program.PausedBy.clear();
  if (this->WhenViewerDies == ViewerLoss::Stay)
  {
    Log().warn("the viewer that paused {} has disconnected: it stays paused "
               "(DSM_WHEN_VIEWER_DIES) until somebody resumes it",
      program.Name);
    return;
  }
  Transaction resume;
  resume.Who = "the server, since the viewer that paused it has disconnected";
  resume.Commands.emplace_back().first = "resume"; // without an argument
  this->Enter(program, std::move(resume), {});
}

// Whether a pause that this viewer wanted is still on its way.
bool SteeringService::MayBePausedBy(const SteeringProgram& program, const PeerId& peer) const
{
  return std::any_of(this->Pausing.begin(), this->Pausing.end(), [&](const auto& pausing)
    { return pausing.second == peer && program.Pending.contains(pausing.first); });
}

void SteeringService::Tick()
{
  const std::lock_guard lock(this->Guard);
  for (Outcome& outcome : this->Files.TakeExpired())
  {
    this->Complete(std::move(outcome));
  }
  std::erase_if(this->Waits,
    [this](const WaitingRequest& waiting)
    {
      const bool over = waiting.Until.Expired();
      if (over)
      {
        this->Call.Answer(waiting.Request, this->Found(waiting.Transaction));
      }
      return over;
    });
}

// All requests but "wait".
SteeringAnswer SteeringService::AnswerNow(
  const SteeringRequest& request, const std::string& who, const PeerId& peer)
{
  if (const auto* apply = std::get_if<ApplyRequest>(&request))
  {
    return this->Apply(*apply, who, peer);
  }
  if (const auto* save = std::get_if<SaveRequest>(&request))
  {
    return this->Save(*save, who);
  }
  if (const auto* declare = std::get_if<DeclareRequest>(&request))
  {
    return this->DeclarePolling(*declare);
  }
  return this->Status(std::get<StatusRequest>(request));
}

SteeringAnswer SteeringService::Answer(const SteeringRequest& request, const std::string& who)
{
  std::unique_lock lock(this->Guard);
  const auto* wait = std::get_if<WaitRequest>(&request);
  if (!wait)
  {
    return this->AnswerNow(request, who, {});
  }
  this->Changed.wait_until(lock, DeadlineOf(*wait).TimePoint(),
    [&]
    {
      return this->Closed || !std::holds_alternative<PendingAnswer>(this->Found(wait->Transaction));
    });
  return this->Found(wait->Transaction);
}

void SteeringService::RunBegan(const BegunRun& run)
{
  const std::lock_guard lock(this->Guard);
  std::string name = run.Program;
  for (const SteeringProgram& program : this->Programs.All())
  {
    if (!program.Peer.empty() && run.Channels.contains(program.Peer))
    {
      this->Values.SetRun(program.Instance, run.Number);
      name = program.Name;
    }
  }
  if (run.From)
  {
    this->Journal.Add(
      name, *run.From, this->Values.Changed(run.Number, run.From->Run, run.From->SealedAt));
  }
}

void SteeringService::SetRun(const PeerId& peer, std::uint64_t run)
{
  const std::lock_guard lock(this->Guard);
  if (const SteeringProgram* program = this->Programs.ByPeer(peer))
  {
    this->Values.SetRun(program->Instance, run);
  }
}

std::vector<Outcome::Change> SteeringService::ChangedSince(
  std::uint64_t run, const RunOrigin& from) const
{
  const std::lock_guard lock(this->Guard);
  return this->Values.Changed(run, from.Run, from.SealedAt);
}

bool SteeringService::AnyPaused() const
{
  const std::lock_guard lock(this->Guard);
  return std::any_of(this->Programs.All().begin(), this->Programs.All().end(),
    [](const auto& program)
    { return program.Now == SteeringProgram::State::Connected && program.Paused(); });
}

void SteeringService::Close()
{
  {
    const std::lock_guard lock(this->Guard);
    this->Closed = true;
  }
  this->Changed.notify_all();
}

SteeringAnswer SteeringService::Apply(
  const ApplyRequest& request, const std::string& who, const PeerId& peer)
{
  SteeringProgram& program = this->Programs.Chosen(request.Program);
  if (request.Set.empty() && request.Commands.empty())
  {
    throw Error(Fault::Usage, "nothing to apply: the request names no parameter and no command");
  }
  Transaction asked{ 0, request.Who.value_or(who), request.Set, request.Commands };
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
    refused.Number = this->Outcomes.Next();
    refused.Who = asked.Who;
    refused.Refusals = std::move(refusals);
    this->Complete(refused);
    return refused;
  }
  this->Enter(program, std::move(asked), peer);
  return this->Found(this->Outcomes.Last());
}

void SteeringService::Enter(SteeringProgram& program, Transaction transaction, const PeerId& peer)
{
  transaction.Number = this->Outcomes.Next();
  if (!peer.empty() && Names(transaction, "pause"))
  {
    this->Pausing[transaction.Number] = peer;
  }
  program.Pending.emplace(transaction.Number, std::move(transaction));
  this->Deliver(program);
}

// Sends what was not sent, but no more at a time than a simulation that is slow to look may leave
// unanswered: a message too many for its queue would be lost.
void SteeringService::Deliver(SteeringProgram& program)
{
  if (program.Now != SteeringProgram::State::Connected || program.Polls)
  {
    return;
  }
  auto next = program.Pending.upper_bound(program.Sent);
  auto underWay = std::distance(program.Pending.begin(), next);
  DeliverTransactions delivered;
  for (; next != program.Pending.end() && underWay < MostUnderWay; ++next, ++underWay)
  {
    program.Sent = next->first;
    delivered.Transactions.push_back(next->second);
  }
  if (!delivered.Transactions.empty())
  {
    this->Call.Deliver(program.Peer, delivered);
  }
}

// An order has a transaction's number, and its outcome is waited for in the same way. A simulation
// that was commanded to have it done orders it for that command's transaction.
SteeringAnswer SteeringService::Save(const SaveRequest& request, const std::string& who)
{
  const std::uint64_t number = this->Outcomes.Next();
  const std::string refusal = this->Call.Save
    ? this->Call.Save(number, request)
    : std::string("is not possible: this server writes no files");
  if (refusal.empty())
  {
    this->Saves[number] = { request.Who.value_or(who), request.For };
    this->Files.Ordered(request.For);
    return this->Found(number);
  }
  CommandedFiles::FileResult result;
  result.Note = "not written to disk: it " + refusal;
  this->FinishFile(request.For, result);
  Outcome refused = Refused("write to disk", refusal);
  refused.Number = number;
  refused.Who = request.Who.value_or(who);
  this->Complete(refused);
  return refused;
}

// Has arrays saved where a replay of the log finds them. The arrays of a replay are saved already.
void SteeringService::SaveArrays(const SteeringProgram& program, const Outcome& outcome)
{
  for (const auto& change : outcome.Changes)
  {
    const auto* parameter = program.Offered().FindParameter(change.Name);
    const auto* text = std::get_if<std::string>(&change.New);
    if (!outcome.Applied || !parameter || parameter->Type != ValueType::Array || !text)
    {
      continue;
    }
    const SentArray sent = SentArray::FromText(*text);
    SaveRequest save;
    save.When = "number";
    save.Number = sent.Snapshot;
    save.Path = ArrayFile(this->Journal.Path(), sent);
    // Nobody ordered it: it has no outcome.
    const std::string refusal =
      this->Call.Save ? this->Call.Save(this->Outcomes.Next(), save) : "is not possible here";
    if (!refusal.empty())
    {
      Log().warn(
        "the array {} of {} is not saved for a replay: it {}", change.Name, program.Name, refusal);
    }
  }
}

void SteeringService::Saved(Outcome outcome)
{
  const std::lock_guard lock(this->Guard);
  const auto order = this->Saves.find(outcome.Number);
  if (order == this->Saves.end())
  {
    return;
  }
  const OrderedFile ordered = std::move(order->second);
  this->Saves.erase(order);
  outcome.Who = ordered.Who;
  CommandedFiles::FileResult result = outcome.Detail.value_or(CommandedFiles::FileResult());
  result.Note = outcome.Applied ? "written to " + result.Path.value_or("")
                                : "not written to disk: " + outcome.Refusals.front().Reason;
  this->Complete(std::move(outcome));
  this->FinishFile(ordered.For, result);
}

void SteeringService::FinishFile(
  std::uint64_t transaction, const CommandedFiles::FileResult& result)
{
  if (auto outcome = this->Files.Finished(transaction, result))
  {
    this->Complete(std::move(*outcome));
  }
}

// Declares, or declares anew: values that still fit stay.
SteeringAnswer SteeringService::DeclarePolling(const DeclareRequest& request)
{
  const std::string name = request.Program.empty() ? "simulation" : request.Program;
  CheckName("program", name);
  std::vector<SteeringProgram> replaced;
  const SteeringProgram& program = this->Programs.DeclarePolling(name, request.Offered, replaced);
  this->RefuseReplaced(replaced);
  Log().info("{} can be steered as declared here: {} parameters, {} commands", program.Name,
    program.Offered().Parameters.size(), program.Offered().Commands.size());
  this->Changed.notify_all();
  return DeclaredAnswer{ program.Name };
}

bool SteeringService::IsPending(std::uint64_t number) const
{
  return this->Saves.contains(number) || this->Files.IsWaiting(number) ||
    this->Programs.IsPending(number);
}

SteeringAnswer SteeringService::Found(std::uint64_t number) const
{
  if (const Outcome* outcome = this->Outcomes.Find(number))
  {
    return *outcome;
  }
  if (!this->IsPending(number))
  {
    throw Error(Fault::Refused,
      "there is no steering transaction {}: the last one was {}, and the outcomes of the last {} "
      "are kept",
      number, this->Outcomes.Last(), OutcomeTable::Most);
  }
  return PendingAnswer{ number };
}

SteeringStatus SteeringService::Status(const StatusRequest& request) const
{
  SteeringStatus status;
  for (const SteeringProgram& program : std::views::reverse(this->Programs.All()))
  {
    if (request.Program.empty() || program.Name == request.Program)
    {
      ProgramStatus& added = status.Programs.emplace_back(program.Status(request.History));
      // Done by the simulation, but not told before its file is there: no outcome yet.
      const auto waiting = this->Files.WaitingOf(program.Instance);
      added.Pending.insert(added.Pending.begin(), waiting.begin(), waiting.end());
    }
  }
  status.Outcomes = this->Outcomes.Newest(request.Outcomes);
  status.LastTransaction = this->Outcomes.Last();
  status.Log = this->Journal.Path();
  return status;
}

void SteeringService::Complete(Outcome outcome)
{
  const std::uint64_t number = outcome.Number;
  this->Pausing.erase(number);
  this->Outcomes.Enter(std::move(outcome));
  std::erase_if(this->Waits,
    [&](const WaitingRequest& waiting)
    {
      const bool answered = waiting.Transaction == number;
      if (answered)
      {
        this->Call.Answer(waiting.Request, this->Found(number));
      }
      return answered;
    });
  this->Changed.notify_all();
}

void SteeringService::RefusePending(SteeringProgram& program, const std::string& why)
{
  for (auto& [number, transaction] : std::exchange(program.Pending, {}))
  {
    Outcome refused = Refused(program.Name, why);
    refused.Number = number;
    refused.Who = transaction.Who;
    this->Complete(std::move(refused));
  }
}

void SteeringService::RefuseReplaced(std::vector<SteeringProgram>& replaced)
{
  for (SteeringProgram& program : replaced)
  {
    this->RefusePending(program, "the simulation has gone, and another run took its place");
  }
}

SteeringService::ViewerLoss ViewerLossFromEnvironment()
{
  const auto policy = environment::Text("DSM_WHEN_VIEWER_DIES").value_or("resume");
  if (policy != "resume" && policy != "stay")
  {
    throw Error(Fault::Usage,
      "DSM_WHEN_VIEWER_DIES is {}: it can be resume or stay (what a paused simulation does)",
      policy);
  }
  return policy == "resume" ? SteeringService::ViewerLoss::Resume
                            : SteeringService::ViewerLoss::Stay;
}

}
