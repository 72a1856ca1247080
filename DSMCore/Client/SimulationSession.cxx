// SPDX-License-Identifier: BSD-3-Clause
#include "Client/SimulationSession.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/Log.h"
#include "Client/InterruptWatch.h"
#include "Mpi/Agreement.h"
#include "Protocol/Peer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <unistd.h>

namespace dsm
{

namespace
{
constexpr std::chrono::milliseconds ProgressInterval(50);
constexpr Seconds PausedPollInterval(0.5);
// Changes may take a two-hundredth of the time, however many come: a rest follows, within limits.
constexpr int RestPerChange = 199;
constexpr std::chrono::milliseconds LongestRest(500);
constexpr std::chrono::milliseconds ShortestRest(1);
// How long a paused simulation gives a lost server to be found again.
constexpr Seconds OrphanGrace(2);

// What rank 0 tells the others when a session begins.
struct InitialState
{
  bool Active = false;
  double StepWarning = 0; ///< seconds
};

void Describe(Fields& fields, InitialState& state)
{
  fields("Active", state.Active);
  fields("StepWarning", state.StepWarning);
}

// What went wrong on rank 0, for the header; 0 is nothing.
std::uint32_t FailedBy(Fault fault)
{
  return static_cast<std::uint32_t>(fault) + 1;
}
}

SimulationSession::SimulationSession(ProgramRanks ofProgram, const std::string& contactPath)
  : Ranks(std::move(ofProgram))
  , Received(this->Ranks, this->Known)
  , Run(this->Known)
  , Process(getpid())
{
  const auto state = RunOnRankZero(this->Ranks,
    [&]
    {
      const auto warnAfter = environment::SecondsOr("DSM_STEP_WARNING", 60);
      const auto ranks = static_cast<std::uint64_t>(this->Ranks.Size());
      const auto contact =
        contactPath.empty() ? environment::Text("DSM_CONTACT").value_or("") : contactPath;
      const auto process = DescribeThisProcess("steering", ranks, this->Ranks.LibraryName());
      this->WhenViewerDies = ViewerLossFromEnvironment();
      this->PauseLimit = environment::SecondsOr("DSM_PAUSE_LIMIT", 600);
      const auto replay = environment::Text("DSM_REPLAY");
      if (replay)
      {
        this->Script = Replay(*replay, process.Program);
        this->ScriptPath = *replay;
      }
      if (!contact.empty())
      {
        this->Agent = std::make_unique<SteeringAgent>(contact, process);
        this->StartPaused =
          environment::CountOr("DSM_START_PAUSED", 0) > 0 && this->Agent->Connected();
      }
      return InitialState{ this->Agent != nullptr || replay.has_value(), warnAfter.count() };
    });
  this->Active = state.Active;
  if (this->Active && this->Ranks.Rank() > 0)
  {
    const Seconds warnAfter(state.StepWarning);
    this->StepWatchdog = std::make_unique<Watchdog>(warnAfter,
      [this, warnAfter](const char* call)
      {
        Log().warn(
          "rank {} waits for rank 0 in {} of step {}, longer than {:.3g} s (DSM_STEP_WARNING): "
          "every rank must call it, once for each step",
          this->Ranks.Rank(), call, this->Now, warnAfter.count());
      });
  }
}

SimulationSession::~SimulationSession()
{
  if (getpid() != this->Process)
  {
    // In a child process MPI and our threads are not there: nobody to part from.
    this->Ranks.Abandon();
    [[maybe_unused]] auto* abandoned = this->StepWatchdog.release();
    return;
  }
  if (const auto left = this->Script.Left(); left > 0)
  {
    Log().warn(
      "the replay ended before its log did: {} of its changes came after step {}", left, this->Now);
  }
}

void SimulationSession::Step(std::int64_t step, double time)
{
  this->Now = step;
  this->Time = time;
  this->Known.ForgetCommands();
  this->Run.BeginStep(step);
  if (!this->Active)
  {
    return;
  }
  this->Ranks.RequireRunning();
  std::int64_t common = step;
  std::optional<InterruptWatch> interrupts; // while paused
  for (bool idle = false;;)
  {
    Header header;
    header.Print = static_cast<std::uint64_t>(step);
    Plan plan;
    std::string bytes;
    if (this->Ranks.Rank() == 0)
    {
      plan = this->Announce(header, bytes, idle, interrupts && InterruptWatch::Came());
    }
    this->Share(header, bytes, idle);
    if (header.Compare)
    {
      continue;
    }
    common = static_cast<std::int64_t>(header.Print);
    this->ApplyPlan(bytes, std::move(plan));
    if (!this->Run.Paused())
    {
      break;
    }
    idle = true;
    if (!interrupts && this->Ranks.Rank() == 0)
    {
      interrupts.emplace();
    }
  }
  if (this->Agent)
  {
    this->TellProgress(this->ReportedPaused);
  }
  if (common != step)
  {
    throw Error(Fault::Usage,
      "rank {} calls it for step {}, and rank 0 for step {}: every rank must call it, once for "
      "each step",
      this->Ranks.Rank(), step, common);
  }
}

// On rank 0: what the others are to hear, in the header and the bytes behind it. What goes wrong is
// for all of them, too: it is not thrown here.
SimulationSession::Plan SimulationSession::Announce(
  Header& header, std::string& bytes, bool idle, bool interrupted)
{
  Plan plan;
  try
  {
    if (interrupted)
    {
      throw Error(Fault::System, "interrupted (SIGINT) while paused at step {}", this->Now);
    }
    if (this->DeclaredRevision != this->Known.Revision())
    {
      header.Compare = 1;
      header.Print = this->Known.Fingerprint();
    }
    else
    {
      plan = this->Collect(idle);
      if (plan)
      {
        bytes.swap(plan->Bytes);
      }
    }
  }
  catch (const Error& error)
  {
    header.Failed = FailedBy(error.GetFault());
    bytes = error.what();
  }
  catch (const std::exception& error)
  {
    header.Failed = FailedBy(Fault::Usage);
    bytes = error.what();
  }
  header.Bytes = bytes.size();
  return plan;
}

// Rank 0's header and plan to all; throws on all what failed on rank 0.
void SimulationSession::Share(Header& header, std::string& bytes, bool idle)
{
  {
    std::optional<Watchdog::Watch> watch;
    if (this->StepWatchdog)
    {
      watch.emplace(*this->StepWatchdog, "dsm_step");
    }
    if (idle)
    {
      this->Ranks.BroadcastYielding(&header, sizeof header, {});
    }
    else
    {
      this->Ranks.Broadcast(&header, sizeof header);
    }
  }
  if (header.Compare)
  {
    this->CompareDeclarations(header.Print);
  }
  if (header.Bytes > 0)
  {
    bytes.resize(header.Bytes);
    this->Ranks.Broadcast(bytes.data(), bytes.size());
  }
  if (header.Failed)
  {
    throw Error(static_cast<Fault>(header.Failed - 1), "{}", bytes);
  }
}

// Rank 0's are new: throws on all ranks when another rank's differ.
void SimulationSession::CompareDeclarations(std::uint64_t fingerprint)
{
  const bool differs = fingerprint != this->Known.Fingerprint();
  const auto last =
    this->Ranks.Max(std::uint64_t(differs ? static_cast<std::uint64_t>(this->Ranks.Rank()) : 0));
  if (last > 0)
  {
    throw Error(Fault::Usage,
      "the ranks of this simulation declare different parameters or commands: every rank must "
      "declare the same, in the same order (rank {} differs from rank 0)",
      last);
  }
  this->Received.Place();
  this->CompareValues();
  this->DeclaredRevision = this->Known.Revision();
  if (this->Agent)
  {
    for (const auto& warning : this->Known.OutOfRange())
    {
      Log().warn("the program's own value does not fit its declaration: {}", warning);
    }
    this->Declare();
  }
}

// Variables that begin with different values on different ranks are mostly a mistake, such as an
// input file that rank 0 alone has read.
void SimulationSession::CompareValues()
{
  auto prints = this->Known.ValueFingerprints();
  const auto own = prints;
  this->Ranks.Broadcast(prints.data(), prints.size() * sizeof prints[0]);
  std::vector<std::uint64_t> differing(prints.size());
  std::transform(prints.begin(), prints.end(), own.begin(), differing.begin(),
    [](std::uint64_t first, std::uint64_t mine) { return first == mine ? 0 : 1; });
  differing = this->Ranks.Sum(differing);
  for (; this->Compared < differing.size(); ++this->Compared)
  {
    if (differing[this->Compared] > 0 && this->Ranks.Rank() == 0)
    {
      const auto& name = this->Known.Declared().Parameters[this->Compared].Name;
      Log().warn(
        "\"{}\" begins with another value than here, {}, on {} of the other ranks; a change "
        "from outside will give all of them the same",
        name, PlainValueText(this->Known.Values().at(name)), differing[this->Compared]);
    }
  }
}

void SimulationSession::ApplyPlan(const std::string& bytes, Plan plan)
{
  if (!bytes.empty())
  {
    if (plan)
    {
      this->Received.Bring(std::move(plan->Arrays));
    }
    this->Known.Apply(bytes, plan ? &plan->Before : nullptr);
    this->Received.Bring({}); // the memory is free again
    const std::string saved = this->Run.TakeDiskOrder();
    if (!saved.empty() && this->Agent)
    {
      this->Agent->OrderSave(saved, RunControl::DiskOrder(plan->Outcomes));
    }
    this->Run.WriteWhilePaused(); // before it is told: then it is there
  }
  if (this->Agent && plan)
  {
    this->Run.Explain(plan->Outcomes);
    plan->Step = this->Now;
    plan->Time = this->Time;
    this->Agent->Report(std::move(plan));
  }
  if (this->Began != Clock::time_point())
  {
    const auto now = Clock::now();
    this->NextTake = now +
      std::clamp<Clock::duration>(
        RestPerChange * (now - std::exchange(this->Began, {})), ShortestRest, LongestRest);
  }
}

// On rank 0: what all ranks are to carry out now.
SimulationSession::Plan SimulationSession::Collect(bool mayWait)
{
  const bool replayDue = this->Script.Due(this->Now);
  if (!mayWait && !replayDue && !this->StartPaused)
  {
    if (!this->Agent || !this->Agent->HasNews())
    {
      return {};
    }
    const auto now = Clock::now();
    if (now < this->NextTake)
    {
      return {};
    }
    this->Began = now;
  }
  if (!replayDue)
  {
    return this->TakeDue(mayWait);
  }
  auto plan = std::make_unique<ChangePlan>();
  for (Transaction& transaction : this->Script.Take(this->Now))
  {
    this->FetchLogged(transaction, *plan);
    plan->Add(this->Known.Declared(), std::move(transaction));
    const Outcome& outcome = plan->Outcomes.back();
    if (!outcome.Applied)
    {
      throw Error(Fault::Usage,
        "the steering log to replay does not fit this program: at step {}, \"{}\" {}", this->Now,
        outcome.Refusals.front().Name, outcome.Refusals.front().Reason);
    }
  }
  if (auto taken = this->TakeDue(mayWait))
  {
    plan->Append(std::move(*taken));
  }
  return plan;
}

// Reads the arrays that a transaction of the log sets.
void SimulationSession::FetchLogged(const Transaction& transaction, ChangePlan& plan) const
{
  for (const auto& [name, text] : ArraysOf(this->Known.Declared(), transaction))
  {
    plan.Arrays.push_back(FetchFromLog(this->ScriptPath, text));
  }
}

SimulationSession::Plan SimulationSession::OwnCommand(const char* command, const char* who) const
{
  Transaction own;
  own.Who = who;
  own.Commands.emplace_back(command, PlainValue());
  auto plan = std::make_unique<ChangePlan>();
  plan->Add(this->Known.Declared(), std::move(own));
  return plan;
}

SimulationSession::Plan SimulationSession::TakeDue(bool mayWait)
{
  if (std::exchange(this->StartPaused, false))
  {
    return this->OwnCommand("pause", "DSM_START_PAUSED");
  }
  if (!this->Agent)
  {
    return this->Run.Paused() ? this->OwnCommand("resume", "no server") : nullptr;
  }
  return mayWait ? this->TakeWhilePaused() : this->Agent->Take();
}

// Waits for what ends the pause, and comes back with nothing now and then: to tell a server that
// was found again, and to see whether there is none any more.
SimulationSession::Plan SimulationSession::TakeWhilePaused()
{
  this->TellProgress(true);
  if (!this->Agent->HasNews())
  {
    this->Agent->WaitForNews(Deadline(PausedPollInterval));
  }
  auto taken = this->Agent->Take();
  const Seconds limit =
    this->WhenViewerDies == SteeringService::ViewerLoss::Resume ? OrphanGrace : this->PauseLimit;
  if (!taken && this->Agent->Disconnected() > limit)
  {
    Log().warn("the server that paused this simulation is gone for {:.3g} s: going on with the "
               "last values (DSM_WHEN_VIEWER_DIES, DSM_PAUSE_LIMIT)",
      limit.count());
    return this->OwnCommand("resume", "the simulation, as its server is gone");
  }
  return taken;
}

void SimulationSession::Declare()
{
  NamedValues values = this->Known.Values();
  this->ReportedValues = values;
  this->Agent->Declare(this->Known.Declared(), std::move(values));
}

void SimulationSession::TellProgress(bool always)
{
  // The clock is read only when somebody could hear it.
  const auto now = Clock::now();
  if (!always && now < this->NextProgress)
  {
    return;
  }
  this->NextProgress = now + ProgressInterval;
  this->ReportedPaused = this->Run.Paused();
  this->ReportedPaused ? this->Expected.Interrupt() : this->Expected.Note(this->Now, now);
  ReportProgress progress;
  progress.Step = this->Now;
  progress.Time = this->Time;
  progress.LastStep = this->Expected.Last();
  progress.SecondsLeft = this->Expected.SecondsLeft();
  progress.Paused = this->ReportedPaused;
  progress.Observed = this->Known.TakeObserved();
  NamedValues values = this->Known.Values();
  for (const auto& [name, value] : values)
  {
    const auto reported = this->ReportedValues.find(name);
    if (reported == this->ReportedValues.end() || reported->second != value)
    {
      progress.Values[name] = value;
    }
  }
  this->ReportedValues = std::move(values);
  this->Agent->TellProgress(std::move(progress));
}

}
