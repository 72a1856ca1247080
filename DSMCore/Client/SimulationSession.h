// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Watchdog.h"
#include "Client/Bindings.h"
#include "Client/ProgramRanks.h"
#include "Client/Replay.h"
#include "Client/RunControl.h"
#include "Client/RunLength.h"
#include "Client/SteeredArrays.h"
#include "Client/SteeringAgent.h"
#include "Steering/SteeringService.h"

#include <cstdint>
#include <memory>
#include <string>

namespace dsm
{

/// A steered simulation, on every rank: the implementation of dsm.h.
///
/// Rank 0 alone communicates with the server. Step broadcasts 24 bytes that say whether there is a
/// plan; a second broadcast brings the plan, and every rank applies it. A step without a plan costs
/// one atomic load and the small broadcast; without a server or replay, nothing.
class SimulationSession
{
public:
  /// Collective. An empty contact path means DSM_CONTACT.
  SimulationSession(ProgramRanks ranks, const std::string& contactPath);
  ~SimulationSession();
  SimulationSession(const SimulationSession&) = delete;
  SimulationSession& operator=(const SimulationSession&) = delete;

  Bindings& Variables() { return this->Known; }
  const Bindings& Variables() const { return this->Known; }
  SteeredArrays& Arrays() { return this->Received; }
  RunControl& Control() { return this->Run; }
  const RunControl& Control() const { return this->Run; }
  RunLength& Length() { return this->Expected; }

  /// Collective. Throws on all ranks together; where a rank gave another step than rank 0, on that
  /// rank, after everything was carried out.
  void Step(std::int64_t step, double time);

  bool Connected() const { return this->Agent && this->Agent->Connected(); }

private:
  struct Header
  {
    std::uint64_t Bytes = 0;   ///< of the plans that follow
    std::uint64_t Print = 0;   ///< of rank 0's declarations when they are new; else rank 0's step
    std::uint32_t Compare = 0; ///< they are new
    std::uint32_t Failed = 0;  ///< 1 + a Fault: the bytes that follow are an error's text
  };

  using Plan = std::unique_ptr<ChangePlan>; ///< null: nothing to do

  Plan Collect(bool mayWait);
  Plan TakeDue(bool mayWait);
  void FetchLogged(const Transaction& transaction, ChangePlan& plan) const;
  Plan TakeWhilePaused();
  Plan OwnCommand(const char* command, const char* who) const;
  Plan Announce(Header& header, std::string& bytes, bool idle, bool interrupted);
  void Share(Header& header, std::string& bytes, bool idle);
  void CompareDeclarations(std::uint64_t fingerprint);
  void CompareValues();
  void ApplyPlan(const std::string& bytes, Plan plan);
  void Declare();
  void TellProgress(bool always);

  ProgramRanks Ranks;
  Bindings Known;
  SteeredArrays Received;
  RunControl Run;
  RunLength Expected;                   ///< rank 0's is reported
  std::unique_ptr<SteeringAgent> Agent; ///< rank 0, when there is a contact file to look for
  Replay Script;                        ///< rank 0
  std::string ScriptPath;               ///< rank 0
  bool Active = false;                  ///< on any rank: rank 0 has an agent or a replay
  bool StartPaused = false;
  SteeringService::ViewerLoss WhenViewerDies = SteeringService::ViewerLoss::Resume;
  Seconds PauseLimit{ 600 };
  std::uint64_t DeclaredRevision = 0;
  std::size_t Compared = 0; ///< parameters whose first values were compared among ranks
  /// On the other ranks: says when rank 0 does not come. Null where nothing is awaited.
  std::unique_ptr<Watchdog> StepWatchdog;
  const int Process;
  std::int64_t Now = 0;
  double Time = 0;
  Clock::time_point Began{};    ///< rank 0: when it began to look at what came; none: nothing did
  Clock::time_point NextTake{}; ///< rank 0: earliest time to look again
  Clock::time_point NextProgress{};
  bool ReportedPaused = false;
  NamedValues ReportedValues;
};

}
