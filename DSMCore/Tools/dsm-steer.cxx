// SPDX-License-Identifier: BSD-3-Clause
// dsm-steer: changes a running simulation's parameters from a shell, wherever the contact file can
// be read. Prints what became of it as JSON.
#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Timeouts.h"
#include "Control/Channel.h"
#include "Protocol/Peer.h"
#include "Protocol/SessionMessages.h"
#include "Steering/DeclarationText.h"
#include "Steering/SteeringMessages.h"
#include "Tools/CommandLine.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace
{
struct Options
{
  std::string Contact = dsm::environment::Text("DSM_CONTACT").value_or("run.dsm");
  std::string Program;
  double Wait = 10;
  std::vector<std::string> Set;
  std::vector<std::string> Commands;
  bool Status = false;
  bool ToDisk = false;
  bool Next = false;
  std::string Path;
  std::string File = "*";
  std::string Declare;
};

// "0.04", "true", "[1, 2, 3]" as JSON; anything else is a text.
dsm::PlainValue AsValue(const std::string& text)
{
  try
  {
    return dsm::PlainValueFromText(text);
  }
  catch (const dsm::Error&)
  {
    return text;
  }
}

dsm::DeclareRequest Declarations(const Options& options)
{
  std::ifstream file(options.Declare);
  std::ostringstream text;
  text << file.rdbuf();
  dsm::DeclareRequest declare;
  declare.Program = options.Program;
  try
  {
    dsm::FieldsFromText(text.str(), options.Declare,
      [&](dsm::Fields& fields) { dsm::DescribeAsWritten(fields, declare.Offered); });
  }
  catch (const dsm::Error& error)
  {
    throw dsm::Error(error.GetFault(),
      "{} (declarations are an object with \"parameters\" and \"commands\")", error.what());
  }
  return declare;
}

dsm::ApplyRequest Changes(const Options& options)
{
  dsm::ApplyRequest apply;
  apply.Program = options.Program;
  for (const std::string& assignment : options.Set)
  {
    const auto sign = assignment.find('=');
    if (sign == std::string::npos || sign == 0)
    {
      throw dsm::Error(dsm::Fault::Usage, "\"{}\" is no NAME=VALUE", assignment);
    }
    const std::string name = assignment.substr(0, sign);
    if (std::ranges::any_of(apply.Set, [&](const auto& one) { return one.first == name; }))
    {
      throw dsm::Error(dsm::Fault::Usage, "--set has \"{}\" twice", name);
    }
    apply.Set.emplace_back(name, AsValue(assignment.substr(sign + 1)));
  }
  for (const std::string& command : options.Commands)
  {
    const auto sign = command.find('=');
    apply.Commands.emplace_back(command.substr(0, sign),
      sign == std::string::npos ? dsm::PlainValue() : AsValue(command.substr(sign + 1)));
  }
  return apply;
}

dsm::SteeringRequest Request(const Options& options)
{
  if (!options.Declare.empty())
  {
    return Declarations(options);
  }
  if (options.ToDisk)
  {
    dsm::SaveRequest save;
    save.Path = options.Path.empty() ? std::string() : dsm::AbsoluteName(options.Path);
    save.When = options.Next ? "next" : "newest";
    save.File = options.File;
    return save;
  }
  return Changes(options);
}

dsm::SteeringAnswer Ask(
  dsm::Channel& channel, const dsm::SteeringRequest& request, double seconds = 0)
{
  return channel
    .Request(dsm::RequestSteering{ request, dsm::UserAtHost() },
      dsm::Deadline(dsm::RequestTimeout() + dsm::Seconds(seconds)))
    .Answer;
}

int Steer(const Options& options)
{
  const auto path = dsm::AbsoluteName(options.Contact);
  const dsm::Deadline deadline(dsm::RequestTimeout());
  dsm::Channel channel(dsm::ReadContact(path, deadline), path);
  dsm::Hello hello;
  hello.Peer = dsm::DescribeThisProcess("viewer", 1, {});
  channel.Request(hello, deadline);
  dsm::SteeringAnswer answer;
  if (options.Status)
  {
    dsm::StatusRequest status;
    status.Program = options.Program;
    answer = Ask(channel, status);
  }
  else
  {
    answer = Ask(channel, Request(options));
    const auto* pending = std::get_if<dsm::PendingAnswer>(&answer);
    if (pending && options.Wait > 0)
    {
      answer = Ask(channel, dsm::WaitRequest{ pending->Transaction, options.Wait }, options.Wait);
    }
  }
  std::printf("%s\n", dsm::SteeringAnswerText(answer, 2).c_str());
  const auto* outcome = std::get_if<dsm::Outcome>(&answer);
  return outcome && !outcome->Applied ? 3 : 0;
}

int Run(int argc, char** argv)
{
  Options options;
  dsm::CommandLine app("dsm-steer",
    "Changes a running simulation, as ParaView does.\n"
    "Example: dsm-steer --contact run.dsm --set feed=0.04 --command \"seed again\"");
  app.add_option("--contact", options.Contact, "the server's contact file (DSM_CONTACT)")
    ->capture_default_str();
  app.add_option("--program", options.Program,
    "which simulation, as --status names it; default: the one that connected last");
  app.add_option("--set", options.Set, "NAME=VALUE, with the value as JSON or plain text");
  app.add_option("--command", options.Commands,
    "NAME or NAME=COUNT: pause, resume, advance=5, stop, and the simulation's own");
  app.add_option("--wait", options.Wait, "seconds to wait for the simulation's next step")
    ->check(CLI::NonNegativeNumber)
    ->capture_default_str();
  app.add_flag("--status", options.Status, "show what can be steered, and the last outcomes");
  auto* disk = app.add_flag("--write-to-disk", options.ToDisk,
    "have the hosts write a snapshot as a plain HDF5 file on their disk: the newest, or --next");
  app.add_option("--path", options.Path, "its name or folder; default: beside the contact file")
    ->needs(disk);
  app.add_flag("--next", options.Next, "the next snapshot, not the newest")->needs(disk);
  app.add_option("--file", options.File, "of a file whose name fits this shell pattern")
    ->needs(disk);
  app
    .add_option("--declare", options.Declare,
      "a JSON file: what may be changed in a program that does not link dsm.h and reads "
      "dsm#Interactions instead")
    ->check(CLI::ExistingFile)
    ->excludes(disk);
  CLI11_PARSE(app, argc, argv);
  return Steer(options);
}

}

int main(int argc, char** argv)
{
  try
  {
    return Run(argc, argv);
  }
  catch (const std::exception& error)
  {
    std::fprintf(stderr, "dsm-steer: %s\n", error.what());
    return 1;
  }
}
