// SPDX-License-Identifier: BSD-3-Clause
// dsm-steer: changes a running simulation's parameters from a shell, wherever the contact file can
// be read. Prints what became of it as JSON.
#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Control/Channel.h"
#include "Control/Messages.h"
#include "Session/Connection.h"
#include "Session/Peer.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace
{
using Json = nlohmann::json;

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
Json AsValue(const std::string& text)
{
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

Json Declarations(const Options& options)
{
  std::ifstream file(options.Declare);
  try
  {
    return { { "do", "declare" }, { "program", options.Program },
      { "declarations", Json::parse(file, nullptr, true, true) } };
  }
  catch (const Json::parse_error& error)
  {
    throw dsm::Error(dsm::Fault::Usage, "{} is no JSON: {}", options.Declare, error.what());
  }
}

Json Request(const Options& options)
{
  if (!options.Declare.empty())
  {
    return Declarations(options);
  }
  if (options.ToDisk)
  {
    return { { "do", "save" },
      { "path", options.Path.empty() ? std::string() : dsm::AbsoluteName(options.Path) },
      { "when", options.Next ? "next" : "newest" }, { "file", options.File } };
  }
  Json set = Json::object();
  for (const std::string& assignment : options.Set)
  {
    const auto sign = assignment.find('=');
    if (sign == std::string::npos || sign == 0)
    {
      throw dsm::Error(dsm::Fault::Usage, "\"{}\" is no NAME=VALUE", assignment);
    }
    set[assignment.substr(0, sign)] = AsValue(assignment.substr(sign + 1));
  }
  Json commands = Json::array();
  for (const std::string& command : options.Commands)
  {
    const auto sign = command.find('=');
    commands.push_back({ { "name", command.substr(0, sign) },
      { "argument", sign == std::string::npos ? Json() : AsValue(command.substr(sign + 1)) } });
  }
  return { { "do", "apply" }, { "program", options.Program }, { "set", std::move(set) },
    { "commands", std::move(commands) } };
}

Json Ask(dsm::Channel& channel, Json request, double seconds)
{
  return channel
    .Request("steer", { { "request", std::move(request) }, { "who", dsm::PersonHere() } },
      dsm::Deadline(dsm::RequestTimeout() + dsm::Seconds(seconds)))
    .at("answer");
}

int Steer(const Options& options)
{
  const auto path = dsm::AbsoluteName(options.Contact);
  const dsm::Deadline deadline(dsm::RequestTimeout());
  dsm::Channel channel(dsm::ReadContact(path, deadline), path);
  channel.Request("hello",
    { { "protocol", dsm::ProtocolVersion }, { "peer", dsm::DescribeThisProcess("viewer", 1) } },
    deadline);
  Json answer;
  if (options.Status)
  {
    answer = Ask(channel, { { "do", "status" }, { "program", options.Program } }, 0);
  }
  else
  {
    answer = Ask(channel, Request(options), 0);
    if (answer.at("state") == "pending" && options.Wait > 0)
    {
      answer = Ask(channel,
        { { "do", "wait" }, { "transaction", answer.at("transaction") },
          { "seconds", options.Wait } },
        options.Wait);
    }
  }
  std::printf("%s\n", answer.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
  return answer.value("state", "") == "refused" ? 3 : 0;
}

int Run(int argc, char** argv)
{
  Options options;
  CLI::App app("Changes a running simulation, as ParaView does.\n"
               "Example: dsm-steer --contact run.dsm --set feed=0.04 --command \"seed again\"",
    "dsm-steer");
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
