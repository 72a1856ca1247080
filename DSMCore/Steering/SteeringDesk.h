// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Steering/SteeringLog.h"
#include "Steering/SteeringProgram.h"

#include <nlohmann/json.hpp>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

/// Steering on host rank 0: between viewers, who apply changes, and simulations, which take them at
/// a step of their own. See README.md for the life of an Apply and for what the messages say.
///
/// Thread safe. It sends messages while its lock is held: what it is given for that must not call
/// back.
class SteeringDesk
{
public:
  using Json = nlohmann::json;

  /// How messages leave; neither may block.
  struct Mail
  {
    std::function<void(const std::string& peer, Json event)> Send;
    std::function<void(const std::string& peer, const Json& request, Json reply)> Reply;
    /// Has a snapshot written to disk, as a request "save" says; its outcome comes by Saved. Empty,
    /// or why it cannot be done. Not there where no files are written.
    std::function<std::string(std::uint64_t number, const Json& request)> Save;
  };

  /// What becomes of a simulation that was paused by a viewer that vanished.
  enum class Orphaned
  {
    Resume,
    Stay
  };

  SteeringDesk(const std::string& logPath, Mail mail, Orphaned orphaned);

  /// \name Called in the control channel's thread.
  ///@{
  /// True for the asks this desk deals with.
  static bool Handles(const std::string& ask);
  void Received(const std::string& peer, const Json& message);
  void Gone(const std::string& peer, bool lost);
  void Tick();
  ///@}

  /// A request of a viewer in this process, and its answer; "wait" waits. `who` is for the log.
  /// Throws Error(Usage) for a request that makes no sense, Error(Refused) for an unknown program
  /// or transaction.
  Json Answer(const Json& request, const std::string& who);

  /// Whether a simulation that is connected waits because it was told to pause.
  bool AnyPaused() const;

  /// What became of an order to write a snapshot to disk, by its transaction's number.
  void Saved(Outcome outcome);

  /// Ends all waits: the server stops.
  void Close();

private:
  static constexpr std::size_t MostOutcomes = 10000; ///< that are kept

  struct Waiting
  {
    std::string Peer;
    Json Request;
    std::uint64_t Number;
    Deadline Until;
  };

  /// Who ordered a file, and the transaction that commanded it: 0, if none did.
  struct SaveAsked
  {
    std::string Who;
    std::uint64_t For;
  };

  /// Took effect, and is told when its file was written.
  struct WaitingForFile
  {
    std::string Instance;
    Outcome Told;
    Deadline Until;
  };

  void Declare(const std::string& peer, const Json& message);
  void Applied(const std::string& peer, const Json& message);
  void Progress(const std::string& peer, const Json& message);
  void Steer(const std::string& peer, const Json& message);

  Json AnswerNow(const Json& request, const std::string& who, const std::string& peer);
  Json Apply(const Json& request, const std::string& who, const std::string& peer);
  Json Status(const Json& request) const;
  Json Found(std::uint64_t number) const;
  Json Save(const Json& request, const std::string& who);
  Json DeclareServed(const Json& request);
  Json Look(const Json& message, double step);
  bool WaitsForFile(const SteeringProgram& program, Outcome& outcome);
  void FileDone(std::uint64_t number, Json detail);
  void FilesLate();
  void FilesGone(const std::string& instance);
  void Enter(SteeringProgram& program, Transaction transaction, const std::string& peer);
  void Orphan(SteeringProgram& program);
  bool MayBePausedBy(const SteeringProgram& program, const std::string& peer) const;
  void Deliver(SteeringProgram& program);
  void Settle(Outcome outcome);
  void RefusePending(SteeringProgram& program, const std::string& why);
  void ForgetPredecessors(const std::string& program);
  std::string FreeName(const std::string& program) const;
  SteeringProgram* ByPeer(const std::string& peer);
  SteeringProgram& Chosen(const Json& request);

  const Mail Post;
  const Orphaned WhenViewerDies;
  mutable std::mutex Guard;
  std::condition_variable Changed;
  std::deque<SteeringProgram> Programs; ///< the one that connected last is the last
  std::map<std::uint64_t, Outcome> Outcomes;
  std::map<std::uint64_t, std::string> Pausing; ///< viewers elsewhere, by their transaction
  std::map<std::uint64_t, SaveAsked> Saves;     ///< what is not written yet
  std::map<std::uint64_t, Json> Files; ///< by the change that commanded them; null: not written yet
  std::map<std::uint64_t, WaitingForFile> AwaitingFile;
  std::vector<Waiting> Waits;
  std::uint64_t LastNumber = 0;
  bool Closed = false;
  SteeringLog Book;
};

/// What DSM_WHEN_VIEWER_DIES says: "resume" (default) or "stay"; throws Error(Usage) otherwise.
SteeringDesk::Orphaned OrphanedFromEnvironment();

}
