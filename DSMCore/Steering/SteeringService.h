// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Control/RequestId.h"
#include "Steering/CommandedFiles.h"
#include "Steering/OutcomeTable.h"
#include "Steering/RunOrigin.h"
#include "Steering/RunParameters.h"
#include "Steering/SteeringLog.h"
#include "Steering/SteeringMessages.h"
#include "Steering/SteeringPrograms.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dsm
{

/// Steering on host rank 0: between viewers, who apply changes, and simulations, which take them at
/// a step of their own. See README.md for the life of an Apply and for what the messages say.
///
/// Thread safe. It calls its callbacks while its lock is held: they must not call back.
class SteeringService
{
public:
  /// How messages leave, and what others do for it; none may block.
  struct Callbacks
  {
    std::function<void(const PeerId&, const DeliverTransactions&)> Deliver;
    std::function<void(const PeerId&, const OutcomesAcknowledged&)> Acknowledge;
    std::function<void(const RequestId&, const SteeringAnswer&)> Answer;
    /// Has a snapshot written to disk; the outcome comes by Saved. Empty, or why it cannot be done.
    /// Not there where no files are written.
    std::function<std::string(std::uint64_t number, const SaveRequest&)> Save;
  };

  /// What becomes of a simulation that was paused by a viewer whose connection is lost.
  enum class ViewerLoss
  {
    Resume,
    Stay
  };

  SteeringService(const std::string& logPath, Callbacks callbacks, ViewerLoss viewerLoss);

  /// \name What came over the control channel, in its thread
  ///@{
  void Declare(const PeerId& peer, const DeclareProgram& message);
  void Receive(const PeerId& peer, const ReportOutcomes& message);
  void Receive(const PeerId& peer, const ReportProgress& message);
  void Request(const RequestId& request, const RequestSteering& message);
  /// A program polls: what is pending takes effect now, at that step, unless it only peeks.
  ProgramInteractions Read(const ReadInteractions& message, double step);
  void Gone(const PeerId& peer, bool lost);
  void Tick();
  ///@}

  /// A run (as the server's status has it) that a program has begun.
  struct BegunRun
  {
    std::uint64_t Number = 0;
    std::string Program;
    std::set<PeerId> Channels; ///< of its processes: it is steered over one of them, or not at all
    std::optional<RunOrigin> From;
  };

  /// Enters which simulation that is; the log tells what it began from.
  void RunBegan(const BegunRun& run);

  /// The simulation of this channel is that run; 0: it has begun none yet.
  void SetRun(const PeerId& peer, std::uint64_t run);

  /// The parameters of a run that have other values now than in what it began from, as it was then.
  std::vector<Outcome::Change> ChangedSince(std::uint64_t run, const RunOrigin& from) const;

  /// A request of a viewer in this process, and its answer; "wait" waits. `who` is for the log.
  /// Throws Error(Usage) for a request that makes no sense, Error(Refused) for an unknown program
  /// or transaction.
  SteeringAnswer Answer(const SteeringRequest& request, const std::string& who);

  /// Whether a simulation that is connected waits because it was told to pause.
  bool AnyPaused() const;

  /// What became of an order to write a snapshot to disk, by its transaction's number.
  void Saved(Outcome outcome);

  /// Ends all waits: the server stops.
  void Close();

private:
  struct WaitingRequest
  {
    RequestId Request;
    std::uint64_t Transaction;
    Deadline Until;
  };

  /// Who ordered a file, and the transaction that commanded it: 0, if none did.
  struct OrderedFile
  {
    std::string Who;
    std::uint64_t For;
  };

  SteeringAnswer AnswerNow(
    const SteeringRequest& request, const std::string& who, const PeerId& peer);
  SteeringAnswer Apply(const ApplyRequest& request, const std::string& who, const PeerId& peer);
  SteeringAnswer Save(const SaveRequest& request, const std::string& who);
  SteeringAnswer DeclarePolling(const DeclareRequest& request);
  SteeringStatus Status(const StatusRequest& request) const;
  SteeringAnswer Found(std::uint64_t number) const;
  bool IsPending(std::uint64_t number) const;
  void Enter(SteeringProgram& program, Transaction transaction, const PeerId& peer);
  void ApplyViewerLoss(SteeringProgram& program);
  bool MayBePausedBy(const SteeringProgram& program, const PeerId& peer) const;
  void Deliver(SteeringProgram& program);
  void Complete(Outcome outcome);
  void SaveArrays(const SteeringProgram& program, const Outcome& outcome);
  void FinishFile(std::uint64_t transaction, const CommandedFiles::FileResult& result);
  void RefusePending(SteeringProgram& program, const std::string& why);
  void RefuseReplaced(std::vector<SteeringProgram>& replaced);

  const Callbacks Call;
  const ViewerLoss WhenViewerDies;
  mutable std::mutex Guard;
  std::condition_variable Changed;
  SteeringPrograms Programs;
  OutcomeTable Outcomes;
  RunParameters Values;
  CommandedFiles Files;
  std::map<std::uint64_t, PeerId> Pausing;    ///< viewers elsewhere, by their transaction
  std::map<std::uint64_t, OrderedFile> Saves; ///< what is not written yet
  std::vector<WaitingRequest> Waits;
  bool Closed = false;
  SteeringLog Journal;
};

/// What DSM_WHEN_VIEWER_DIES says: "resume" (default) or "stay"; throws Error(Usage) otherwise.
SteeringService::ViewerLoss ViewerLossFromEnvironment();

}
