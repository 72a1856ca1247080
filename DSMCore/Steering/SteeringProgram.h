// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Steering/SteeringMessages.h"
#include "Steering/Transaction.h"

#include <cstdint>
#include <deque>
#include <map>
#include <string>

namespace dsm
{

/// What a server knows of one simulation that can be steered. Not thread safe.
class SteeringProgram
{
public:
  enum class State
  {
    Connected,
    Lost, ///< connection lost; may connect again
    Ended
  };

  std::string Name;     ///< unique among a server's programs; for people and scripts
  std::string Program;  ///< as the simulation calls itself
  std::string Instance; ///< one run of it; the same after it has connected again
  std::string Peer;     ///< its control channel
  bool Polls = false;   ///< declared by a viewer: the program has no channel, and polls
  State Now = State::Connected;
  std::string PausedBy; ///< the viewer's control channel, when a viewer elsewhere paused it
  std::map<std::uint64_t, Transaction> Pending; ///< no outcome yet
  std::uint64_t Sent = 0;                       ///< the highest transaction that was sent to it
  std::uint64_t LastTicket = 0; ///< of the outcomes it told: those up to here were heard

  /// Takes declarations and current values.
  void Declare(const DeclareProgram& message);

  /// Takes step, time, paused, and what observables and values changed.
  void Progress(const ReportProgress& message);

  /// Takes a viewer's declarations; values that still fit stay.
  void DeclarePolling(Declarations offered);

  /// Carries a transaction out in the place of a program that only looks.
  Outcome Take(const Transaction& transaction, std::int64_t step, double time);

  /// What a program sees that looks.
  ProgramInteractions Interactions() const;

  /// Takes new values over.
  void Applied(const Outcome& outcome);

  const Declarations& Offered() const { return this->Offers; }
  bool Paused() const { return this->IsPaused; }

  /// For viewers, with at most `history` samples of each observable, the newest.
  ProgramStatus Status(std::uint64_t history) const;

private:
  struct Sample
  {
    std::int64_t Step;
    double Time;
    double Value;
  };

  struct Touch
  {
    std::int64_t Step = -1;
    std::uint64_t Number = 0;
    std::int64_t Count = 0;
  };

  Touch LastTouch(const std::string& name) const;

  Declarations Offers;
  std::map<std::string, Touch> Touched; ///< parameters and commands, by the last outcome that did
  Touch Last;
  NamedValues Values;
  std::map<std::string, std::deque<Sample>> Observed;
  std::int64_t Step = 0;
  double Time = 0;
  bool IsPaused = false;
  std::int64_t LastStep = -1;
  double SecondsLeft = -1;
};

}
