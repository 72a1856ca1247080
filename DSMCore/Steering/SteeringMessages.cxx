// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/SteeringMessages.h"

#include "Base/Error.h"
#include "Encoding/Encoding.h"
#include "Steering/DeclarationText.h"

#include <array>

#include <variant>

namespace dsm
{

namespace
{
// The right that a viewer's request needs. A request without an entry here does not compile.
struct RightOf
{
  Right operator()(const WaitRequest&) const { return Right::Look; }
  Right operator()(const StatusRequest&) const { return Right::Look; }
  Right operator()(const ApplyRequest&) const { return Right::Steer; }
  // Writes a file of that name on the hosts' disk, in the name of the server's owner.
  Right operator()(const SaveRequest&) const { return Right::Own; }
  Right operator()(const DeclareRequest&) const { return Right::Own; }
};
}

Right RequestSteering::Needed() const
{
  return std::visit(RightOf(), this->Request);
}

namespace
{
// In the order of SteeringRequest's alternatives.
constexpr std::array<const char*, 5> Requests{ "apply", "wait", "status", "save", "declare" };

SteeringRequest EmptyRequest(const std::string& name)
{
  if (name == "apply")
  {
    return ApplyRequest();
  }
  if (name == "wait")
  {
    return WaitRequest();
  }
  if (name == "status")
  {
    return StatusRequest();
  }
  if (name == "save")
  {
    return SaveRequest();
  }
  if (name == "declare")
  {
    return DeclareRequest();
  }
  throw Error(Fault::Usage,
    "a steering request can apply, wait, save, declare or ask for the status, not \"{}\"", name);
}

void DescribeContent(Fields& fields, ApplyRequest& apply)
{
  fields.IfThere("program", apply.Program);
  fields("who", apply.Who);
  fields.IfThere("set", apply.Set);
  if (!fields.Reading() || fields.Has("commands"))
  {
    fields.List("commands", apply.Commands,
      [&](std::pair<std::string, PlainValue>& command)
      {
        fields.Record(nullptr,
          [&]
          {
            fields("name", command.first);
            fields.IfThere("argument", command.second);
          });
      });
  }
}

void DescribeContent(Fields& fields, WaitRequest& wait)
{
  fields("transaction", wait.Transaction);
  fields.IfThere("seconds", wait.Seconds);
}

void DescribeContent(Fields& fields, StatusRequest& status)
{
  fields.IfThere("program", status.Program);
  fields.IfThere("history", status.History);
  fields.IfThere("outcomes", status.Outcomes);
}

void DescribeContent(Fields& fields, SaveRequest& save)
{
  fields.IfThere("program", save.Program);
  fields("who", save.Who);
  fields.IfThere("path", save.Path);
  fields.IfThere("when", save.When);
  fields.IfThere("file", save.File);
  fields.IfThere("number", save.Number);
  fields.IfThere("rule", save.Rule);
  fields.IfThere("hold", save.Hold);
  fields.IfThere("form", save.Form);
  fields.IfThere("for", save.For);
}

void DescribeContent(Fields& fields, DeclareRequest& declare)
{
  fields.IfThere("program", declare.Program);
  fields.Record("declarations", [&] { DescribeAsWritten(fields, declare.Offered); });
}
}

void Describe(Fields& fields, SteeringRequest& request)
{
  std::string name = Requests.at(request.index());
  fields("do", name);
  if (fields.Reading())
  {
    request = EmptyRequest(name);
  }
  std::visit([&](auto& content) { DescribeContent(fields, content); }, request);
}

// What an answer is can be seen from what it has.
void Describe(Fields& fields, SteeringAnswer& answer)
{
  if (fields.Reading())
  {
    answer = fields.Has("programs") ? SteeringAnswer(SteeringStatus())
      : fields.Has("program")       ? SteeringAnswer(DeclaredAnswer())
      : fields.Has("changes")       ? SteeringAnswer(Outcome())
                                    : SteeringAnswer(PendingAnswer());
  }
  std::string state;
  if (auto* pending = std::get_if<PendingAnswer>(&answer))
  {
    state = "pending";
    fields("transaction", pending->Transaction);
    fields("state", state);
  }
  else if (auto* declared = std::get_if<DeclaredAnswer>(&answer))
  {
    state = "declared";
    fields("program", declared->Program);
    fields("state", state);
  }
  else if (auto* status = std::get_if<SteeringStatus>(&answer))
  {
    Describe(fields, *status);
  }
  else
  {
    Describe(fields, std::get<Outcome>(answer));
  }
}

void Describe(Fields& fields, ObservedSeries& series)
{
  fields("steps", series.Steps);
  fields("times", series.Times);
  fields("values", series.Values);
}

void Describe(Fields& fields, ProgramStatus& program)
{
  fields("name", program.Name);
  fields("state", program.State);
  fields("step", program.Step);
  fields("time", program.Time);
  fields("paused", program.Paused);
  fields("last_step", program.LastStep);
  fields("seconds_left", program.SecondsLeft);
  fields("declarations", program.Offered);
  fields("values", program.Values);
  fields("pending", program.Pending);
  fields("observed", program.Observed);
}

void Describe(Fields& fields, SteeringStatus& status)
{
  fields("programs", status.Programs);
  fields("outcomes", status.Outcomes);
  fields("last_transaction", status.LastTransaction);
  fields("log", status.Log);
}

void Describe(Fields& fields, AnsweredSteering& answered)
{
  fields("answer", answered.Answer);
}

void Describe(Fields& fields, RequestSteering& request)
{
  fields("request", request.Request);
  fields("who", request.Who);
}

void Describe(Fields& fields, DeclareProgram& declare)
{
  fields("program", declare.Program);
  fields("instance", declare.Instance);
  fields("received", declare.Received);
  fields("declarations", declare.Offered);
  fields("values", declare.Values);
}

void Describe(Fields& fields, TicketedOutcome& outcome)
{
  fields("ticket", outcome.Ticket);
  fields("outcome", outcome.What);
}

void Describe(Fields& fields, ReportOutcomes& told)
{
  fields("outcomes", told.Outcomes);
}

void Describe(Fields& fields, ReportProgress& progress)
{
  fields("step", progress.Step);
  fields("time", progress.Time);
  fields("paused", progress.Paused);
  fields("last_step", progress.LastStep);
  fields("seconds_left", progress.SecondsLeft);
  fields("observed", progress.Observed);
  fields("values", progress.Values);
}

void Describe(Fields& fields, DeliverTransactions& delivered)
{
  fields("transactions", delivered.Transactions);
}

void Describe(Fields& fields, OutcomesAcknowledged& event)
{
  fields("tickets", event.Tickets);
}

void Describe(Fields& fields, InteractionParameter& parameter)
{
  fields("declaration", parameter.What);
  fields("value", parameter.Now);
  fields("step", parameter.Step);
  fields("change", parameter.Change);
}

void Describe(Fields& fields, InteractionCommand& command)
{
  fields("declaration", command.What);
  fields("step", command.Step);
  fields("change", command.Change);
  fields("count", command.Count);
}

void Describe(Fields& fields, ProgramInteractions& interactions)
{
  fields("program", interactions.Program);
  fields("parameters", interactions.Parameters);
  fields("commands", interactions.Commands);
  fields("step", interactions.Step);
  fields("change", interactions.Change);
}

void Describe(Fields& fields, ReadInteractions& read)
{
  fields("program", read.Program);
  fields("peek", read.Peek);
}

SteeringRequest SteeringRequestFromText(const std::string& text)
{
  try
  {
    return FromText<SteeringRequest>(text, "the steering request");
  }
  catch (const Error& error)
  {
    throw Error(Fault::Usage, "{}", error.what());
  }
}

std::string SteeringAnswerText(const SteeringAnswer& answer, int indent)
{
  return ToText(answer, indent);
}

}
