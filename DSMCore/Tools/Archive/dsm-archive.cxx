// SPDX-License-Identifier: BSD-3-Clause
// dsm-archive: what needs no HDF5. It has the hosts put snapshots on disk, tells which there are,
// and becomes the program with HDF5 for the rest.
#include "Archive/FileForm.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/PlainLine.h"
#include "Base/Timeouts.h"
#include "Protocol/Peer.h"
#include "Server/Core/KeepRule.h"
#include "Server/Core/ServerMessages.h"
#include "Steering/SteeringMessages.h"
#include "Tools/Archive/ArchiveOptions.h"
#include "Tools/CommandLine.h"
#include "Tools/ExecProgram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

namespace
{

using archive::Connect;
using archive::Options;
using archive::Say;
using archive::Tell;
using archive::TellInterval;

dsm::SaveRequest Request(const Options& options)
{
  static_cast<void>(dsm::FileForm::FromText(options.Form)); // or throws
  dsm::SaveRequest save;
  save.Path = options.To.empty() ? std::string() : dsm::AbsoluteName(options.To);
  save.Form = options.Form;
  save.File = options.File;
  save.When = options.Next ? "next" : "newest";
  save.Hold = !options.BeforeEviction.empty();
  const std::string rule = save.Hold ? options.BeforeEviction : options.Each;
  if (!rule.empty())
  {
    static_cast<void>(dsm::KeepRule::FromText(rule)); // likewise
    save.When = "each";
    save.Rule = rule;
  }
  else if (options.Number != 0)
  {
    save.When = "number";
    save.Number = options.Number;
  }
  else if (options.End != 0)
  {
    save.When = "end";
    save.Number = options.End;
  }
  return save;
}

dsm::SteeringAnswer Ask(
  dsm::Connection& server, const dsm::SteeringRequest& request, double seconds = 0)
{
  return server
    .Request(dsm::RequestSteering{ request, dsm::UserAtHost() },
      dsm::RequestTimeout() + dsm::Seconds(seconds))
    .Answer;
}

// Returns what became of an order; none when it is not done yet.
std::optional<dsm::Outcome> Await(
  dsm::Connection& server, const dsm::SteeringAnswer& answer, double limit)
{
  const dsm::Deadline end{ dsm::Seconds(limit) };
  dsm::SteeringAnswer now = answer;
  while (const auto* pending = std::get_if<dsm::PendingAnswer>(&now))
  {
    if (end.Expired())
    {
      return std::nullopt;
    }
    const double seconds =
      std::min(TellInterval, std::chrono::duration<double>(end.Remaining()).count());
    now = Ask(server, dsm::WaitRequest{ pending->Transaction, seconds }, seconds);
    const auto saving = std::holds_alternative<dsm::PendingAnswer>(now)
      ? server.Request(dsm::AskStatus()).SavingNow
      : std::nullopt;
    if (saving)
    {
      Tell(fmt::format("snapshot {} ({})", saving->Number, saving->FileName), saving->Bytes,
        saving->FileSize);
    }
  }
  const auto* outcome = std::get_if<dsm::Outcome>(&now);
  return outcome ? std::optional(*outcome) : std::nullopt;
}

int Order(const Options& options)
{
  const dsm::SaveRequest request = Request(options);
  const auto server = Connect(options, "viewer");
  const dsm::SteeringAnswer answer = Ask(*server, request);
  const auto outcome = Await(*server, answer, options.Wait);
  if (!outcome)
  {
    const auto* pending = std::get_if<dsm::PendingAnswer>(&answer);
    Say(fmt::format("order {} is not done yet, and goes on", pending ? pending->Transaction : 0));
    return 0;
  }
  if (!outcome->Applied)
  {
    std::string why;
    for (const auto& refusal : outcome->Refusals)
    {
      why += (why.empty() ? "" : "; ") + refusal.Reason;
    }
    std::fprintf(stderr, "dsm-archive: nothing is written: it %s\n", dsm::PlainLine(why).c_str());
    return 3;
  }
  if (request.When == "each")
  {
    Say(fmt::format("order {}: {} from now on (dsm-archive --end {} ends it)", outcome->Number,
      request.Rule == "all" ? "all snapshots" : request.Rule, outcome->Number));
  }
  else if (request.When == "end")
  {
    Say(fmt::format("order {} has ended", request.Number));
  }
  else if (outcome->Detail && outcome->Detail->Path)
  {
    Say(*outcome->Detail->Path);
  }
  return 0;
}

int List(const Options& options)
{
  const auto server = Connect(options, "viewer");
  const dsm::ServerStatus status = server->Request(dsm::AskStatus());
  for (const auto& snapshot : status.Snapshots)
  {
    const bool saved =
      std::find(status.Saved.begin(), status.Saved.end(), snapshot.Number) != status.Saved.end();
    Say(fmt::format("snapshot {} {} {}{}", snapshot.Number, snapshot.FileName,
      dsm::environment::FormatBytes(snapshot.FileSize), saved ? " on disk" : ""));
  }
  for (const auto& order : status.Standing)
  {
    Say(fmt::format("order {} {} in {} as {}: {} written, {} waiting{}", order.Ticket, order.Rule,
      order.Path.empty() ? server->ContactPath() + ".saved" : order.Path, order.Form, order.Written,
      order.Waiting, order.Failure.empty() ? "" : "; " + order.Failure));
  }
  if (status.SavingNow)
  {
    Say(fmt::format("writing snapshot {} {}: {} of {}", status.SavingNow->Number,
      status.SavingNow->FileName, dsm::environment::FormatBytes(status.SavingNow->Bytes),
      dsm::environment::FormatBytes(status.SavingNow->FileSize)));
  }
  return 0;
}

int Run(int argc, char** argv)
{
  Options options;
  dsm::CommandLine app("dsm-archive",
    "Has a server put snapshots on disk, while simulations go on, and makes files on disk "
    "snapshots again.\n"
    "Example: dsm-archive --contact run.dsm --each \"*.chk.h5\" --to /archive");
  archive::ReadCommandLine(app, options);
  CLI11_PARSE(app, argc, argv);
  if (options.List)
  {
    return List(options);
  }
  if (archive::NeedsHdf5(options))
  {
    dsm::BecomePart(DSM_ARCHIVE_HDF5, "dsm-archive", argv);
  }
  return Order(options);
}

}

int main(int argc, char** argv)
{
  return archive::Run([&] { return Run(argc, argv); });
}
