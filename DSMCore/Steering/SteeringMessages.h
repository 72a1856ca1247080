// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Right.h"
#include "Encoding/Fields.h"
#include "Steering/Transaction.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// What simulations, viewers and the server say to each other about steering: see README.md.
namespace dsm
{

/// \name A viewer's requests. An empty program is the one that connected last.
///@{
struct ApplyRequest ///< "apply": values and commands, as one change
{
  std::string Program;
  std::optional<std::string> Who; ///< for the log; none: as the viewer introduced itself
  std::vector<std::pair<std::string, PlainValue>> Set;
  std::vector<std::pair<std::string, PlainValue>> Commands;
};

struct WaitRequest ///< "wait": the outcome of a transaction, waited for
{
  std::uint64_t Transaction = 0;
  double Seconds = 0;
};

struct StatusRequest ///< "status"
{
  std::string Program;          ///< empty: all
  std::uint64_t History = 1000; ///< samples of each observable, the newest
  std::uint64_t Outcomes = 200; ///< the newest
};

/// "save": write snapshots to disk. `When` says which:
///
/// - "newest", "next": the last one there is, or the first that comes, of a file that fits;
/// - "number": the one of that number;
/// - "each": all that a rule keeps, those that are there and each that comes, into a folder; they
///   stay in memory until they are on disk. Applied when the server knows of it;
/// - "end": no more for the request "each" that was transaction `Number`.
struct SaveRequest
{
  std::string Program;            ///< of no meaning; viewers name it in all their requests
  std::optional<std::string> Who; ///< as above
  std::string Path;               ///< a file or a folder; empty: the hosts' choice
  std::string When = "newest";
  std::string File = "*";      ///< newest, next: the pattern (MatchesPattern) of the file's name
  std::uint64_t Number = 0;    ///< number, end
  std::string Rule = "all";    ///< each: as KeepRule::FromText has it
  bool Hold = false;           ///< each: what cannot be written stays in memory by all means
  std::string Form = "single"; ///< as FileForm::FromText has it
  std::uint64_t For = 0;       ///< the transaction that commanded it; 0: none
};

struct DeclareRequest ///< "declare": what a program can be steered with that does not say so itself
{
  std::string Program;
  Declarations Offered;
};

using SteeringRequest =
  std::variant<ApplyRequest, WaitRequest, StatusRequest, SaveRequest, DeclareRequest>;
///@}

/// \name The answers
///@{
struct PendingAnswer ///< to "apply", "save" and "wait": no outcome yet
{
  std::uint64_t Transaction = 0;
};

struct DeclaredAnswer
{
  std::string Program; ///< the name that it got
};

/// Samples of an observable, oldest first.
struct ObservedSeries
{
  std::vector<std::int64_t> Steps;
  std::vector<double> Times;
  std::vector<double> Values;
};

struct ProgramStatus
{
  std::string Name;
  std::string State; ///< connected, lost or ended
  std::int64_t Step = 0;
  double Time = 0;
  bool Paused = false;
  std::int64_t LastStep = -1; ///< as ReportProgress has them
  double SecondsLeft = -1;
  Declarations Offered;
  NamedValues Values;
  std::vector<std::uint64_t> Pending; ///< transactions without an outcome
  std::map<std::string, ObservedSeries> Observed;
};

struct SteeringStatus
{
  std::vector<ProgramStatus> Programs; ///< the one that connected last comes first
  std::vector<Outcome> Outcomes;       ///< newest first
  std::uint64_t LastTransaction = 0;
  std::string Log; ///< path
};

using SteeringAnswer = std::variant<Outcome, PendingAnswer, SteeringStatus, DeclaredAnswer>;
///@}

/// As people and scripts have them: JSON text. What is not understood is an Error(Usage).
SteeringRequest SteeringRequestFromText(const std::string& text);
std::string SteeringAnswerText(const SteeringAnswer& answer, int indent = -1);

/// \name Messages
///@{
struct AnsweredSteering
{
  SteeringAnswer Answer;
};

/// A viewer's request.
struct RequestSteering
{
  static constexpr const char* Name = "steer";
  static constexpr Right Needs = Right::Look;
  using Reply = AnsweredSteering;

  SteeringRequest Request;
  std::string Who = "a viewer"; ///< for the log

  Right Needed() const;
};

/// A simulation says what can be steered.
struct DeclareProgram
{
  static constexpr const char* Name = "declare";
  static constexpr Right Needs = Right::Write;
  using Reply = Nothing;

  std::string Program;
  std::string Instance;       ///< one run; the same when it connects again
  std::uint64_t Received = 0; ///< the highest transaction of this server that it has
  Declarations Offered;
  NamedValues Values;
};

struct TicketedOutcome
{
  std::uint64_t Ticket = 0; ///< counts the simulation's outcomes
  Outcome What;
};

/// Notification of a simulation: what became of transactions.
struct ReportOutcomes
{
  static constexpr const char* Name = "applied";
  static constexpr Right Needs = Right::Write;

  std::vector<TicketedOutcome> Outcomes;
};

/// Notification of a simulation.
struct ReportProgress
{
  static constexpr const char* Name = "progress";
  static constexpr Right Needs = Right::Write;

  std::int64_t Step = 0;
  double Time = 0;
  bool Paused = false;
  std::int64_t LastStep = -1; ///< at which the run ends; negative: unknown
  double SecondsLeft = -1;    ///< until then; negative: unknown
  std::map<std::string, double> Observed;
  NamedValues Values; ///< that the program has changed itself
};

/// Event to a simulation: carry these out.
struct DeliverTransactions
{
  static constexpr const char* Name = "transactions";

  std::vector<Transaction> Transactions;
};

/// Event to a simulation: these outcomes need not be told again.
struct OutcomesAcknowledged
{
  static constexpr const char* Name = "acknowledged";

  std::vector<std::uint64_t> Tickets;
};

/// A declaration with its value and what became of it, for programs that read /Interactions.
struct InteractionParameter
{
  ParameterDeclaration What;
  PlainValue Now;
  std::int64_t Step = -1;   ///< of the last change; -1: none
  std::uint64_t Change = 0; ///< its transaction
};

struct InteractionCommand
{
  CommandDeclaration What;
  std::int64_t Step = -1;
  std::uint64_t Change = 0;
  std::int64_t Count = 0; ///< how often it came
};

struct ProgramInteractions
{
  std::string Program;
  std::vector<InteractionParameter> Parameters;
  std::vector<InteractionCommand> Commands;
  std::int64_t Step = -1;
  std::uint64_t Change = 0;
};

/// A program reads what it is steered with: what waits for it takes effect, unless it only peeks.
struct ReadInteractions
{
  static constexpr const char* Name = "interactions";
  static constexpr Right Needs = Right::Look;
  static constexpr bool MayComeInMemory = true; ///< from ranks without a channel
  using Reply = ProgramInteractions;

  std::string Program; ///< empty: the one that was declared for this, or connected last
  bool Peek = false;

  /// What is pending takes effect unless the program only peeks.
  Right Needed() const { return this->Peek ? Right::Look : Right::Write; }
};
///@}

void Describe(Fields&, SteeringRequest&);
void Describe(Fields&, SteeringAnswer&);
void Describe(Fields&, ObservedSeries&);
void Describe(Fields&, ProgramStatus&);
void Describe(Fields&, SteeringStatus&);
void Describe(Fields&, AnsweredSteering&);
void Describe(Fields&, RequestSteering&);
void Describe(Fields&, DeclareProgram&);
void Describe(Fields&, TicketedOutcome&);
void Describe(Fields&, ReportOutcomes&);
void Describe(Fields&, ReportProgress&);
void Describe(Fields&, DeliverTransactions&);
void Describe(Fields&, OutcomesAcknowledged&);
void Describe(Fields&, InteractionParameter&);
void Describe(Fields&, InteractionCommand&);
void Describe(Fields&, ProgramInteractions&);
void Describe(Fields&, ReadInteractions&);

}
