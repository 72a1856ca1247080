// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/FileRouting.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Control/Intake.h"

#include <hdf5.h>

#include <algorithm>

namespace dsm
{

namespace
{

/// True for the faults that mean that the server cannot be reached, as opposed to one that says no.
bool MeansNoServer(const Error& error)
{
  return error.GetFault() == Fault::NoServer || error.GetFault() == Fault::PeerLost ||
    error.GetFault() == Fault::TimedOut;
}

/// True for a server's contact: this process is connected to it, or such a file is there.
bool IsServer(const std::string& contact, const SnapshotDirectory& directory)
{
  const auto held = directory.HeldContacts();
  return std::find(held.begin(), held.end(), contact) != held.end() ||
    directory.IsContactFile(contact);
}

/// "run.dsm#12": the name says everything. None when the part before '#' is no contact file, for
/// '#' is an ordinary character in file names.
std::optional<RoutingDecision> RouteByNumber(
  const OpenQuestion& question, const SnapshotDirectory& directory)
{
  const auto reference = ParseSnapshotName(question.Name);
  if (!reference)
  {
    return std::nullopt;
  }
  const std::string contact = AbsoluteName(reference->ContactFile);
  if (!IsServer(contact, directory))
  {
    return std::nullopt;
  }
  if (question.Write || question.Create)
  {
    throw Error(Fault::Usage,
      "{} is a snapshot, which never changes: open it read-only, or write under the name of a file",
      question.Name);
  }
  RoutingDecision decision;
  decision.Where = Route::Snapshot;
  decision.Contact = contact;
  decision.Number = reference->Number;
  return decision;
}

/// "run.dsm#Interactions", or "dsm#Interactions" for the server the user named.
std::optional<RoutingDecision> RouteInteractions(
  const OpenQuestion& question, const RoutingSettings& settings, SnapshotDirectory& directory)
{
  const std::string ending = InteractionsName("");
  if (!question.Name.ends_with(ending))
  {
    return std::nullopt;
  }
  const std::string before = question.Name.substr(0, question.Name.size() - ending.size());
  RoutingDecision decision;
  decision.Contact = AbsoluteName(before);
  if (before == "dsm" && settings.Contact)
  {
    decision.Contact = *settings.Contact;
  }
  else if (!IsServer(decision.Contact, directory))
  {
    return std::nullopt;
  }
  if (question.Write || question.Create)
  {
    throw Error(Fault::Usage, "{} is for reading only: parameters are changed from ParaView's side",
      question.Name);
  }
  try
  {
    directory.RequireServer(decision.Contact);
    decision.Where = Route::Interactions;
    return decision;
  }
  catch (const Error& error)
  {
    if (!MeansNoServer(error) || !settings.DiskWithoutServer)
    {
      throw;
    }
    return RoutingDecision(); // there is no such file, and the program has its own values
  }
}

/// The servers that may know a file: the one the user named if the pattern fits, then, for reading,
/// those this process is connected to anyway.
std::vector<std::string> ServersToAsk(
  const OpenQuestion& question, const RoutingSettings& settings, const SnapshotDirectory& directory)
{
  std::vector<std::string> contacts;
  if (settings.Contact &&
    (!settings.Match || MatchesPattern(*settings.Match, AbsoluteName(question.Name))))
  {
    contacts.push_back(*settings.Contact);
  }
  if (!question.Write && !question.Create)
  {
    for (const std::string& contact : directory.HeldContacts())
    {
      if (std::find(contacts.begin(), contacts.end(), contact) == contacts.end())
      {
        contacts.push_back(contact);
      }
    }
  }
  return contacts;
}

RoutingDecision RouteCreation(
  const OpenQuestion& question, const std::string& contact, SnapshotDirectory& directory)
{
  RoutingDecision decision;
  decision.Where = Route::NewImage;
  decision.Contact = contact;
  directory.RequireServer(contact);
  if (question.Truncate)
  {
    return decision;
  }
  const auto newest = directory.Newest(contact, AbsoluteName(question.Name));
  if (newest && question.Exclusive)
  {
    throw Error(Fault::Refused,
      "{} exists as snapshot {} of {}, and the program asked for a new file only (H5F_ACC_EXCL)",
      question.Name, *newest, contact);
  }
  if (newest)
  {
    decision.Where = Route::ImageFromSnapshot;
    decision.Number = *newest;
  }
  return decision;
}

}

OpenQuestion OpenQuestion::FromFlags(const std::string& name, unsigned flags)
{
  OpenQuestion question;
  question.Name = name;
  question.Write = (flags & H5F_ACC_RDWR) != 0;
  question.Create = (flags & (H5F_ACC_CREAT | H5F_ACC_TRUNC | H5F_ACC_EXCL)) != 0;
  question.Truncate = (flags & H5F_ACC_TRUNC) != 0;
  question.Exclusive = (flags & H5F_ACC_EXCL) != 0;
  return question;
}

RoutingSettings RoutingSettings::FromEnvironment(const std::string& contactOfAccessList)
{
  RoutingSettings settings;
  settings.Contact = contactOfAccessList.empty() ? environment::Text("DSM_CONTACT")
                                                 : std::optional(contactOfAccessList);
  if (settings.Contact)
  {
    settings.Contact = AbsoluteName(*settings.Contact);
  }
  settings.Match = environment::Text("DSM_MATCH");
  static_cast<void>(Intake().WithEnvironment());
  const std::string policy = environment::Text("DSM_WITHOUT_SERVER").value_or("fail");
  if (policy != "fail" && policy != "disk")
  {
    throw Error(Fault::Usage,
      "DSM_WITHOUT_SERVER is \"{}\": give \"fail\" (stop with an error when ParaView does not "
      "answer) or \"disk\" (write to disk then)",
      policy);
  }
  settings.DiskWithoutServer = policy == "disk";
  return settings;
}

void to_json(nlohmann::json& json, const RoutingDecision& decision)
{
  json = { { "where", static_cast<int>(decision.Where) }, { "contact", decision.Contact },
    { "number", decision.Number }, { "without_server", decision.WithoutServer } };
}

void from_json(const nlohmann::json& json, RoutingDecision& decision)
{
  decision.Where = static_cast<Route>(json.at("where").get<int>());
  json.at("contact").get_to(decision.Contact);
  json.at("number").get_to(decision.Number);
  json.at("without_server").get_to(decision.WithoutServer);
}

RoutingDecision DecideRoute(
  const OpenQuestion& question, const RoutingSettings& settings, SnapshotDirectory& directory)
{
  if (auto decision = RouteByNumber(question, directory))
  {
    return *decision;
  }
  if (auto decision = RouteInteractions(question, settings, directory))
  {
    return *decision;
  }
  const std::string fileName = AbsoluteName(question.Name);
  for (const std::string& contact : ServersToAsk(question, settings, directory))
  {
    try
    {
      // The server's pattern says where new files go; those that exist are where they are.
      if (question.Create && !settings.Match &&
        !MatchesPattern(directory.Wanted(contact), fileName))
      {
        continue;
      }
      if (question.Create)
      {
        return RouteCreation(question, contact, directory);
      }
      if (const auto newest = directory.Newest(contact, fileName))
      {
        RoutingDecision decision;
        decision.Where = question.Write ? Route::ImageFromSnapshot : Route::Snapshot;
        decision.Contact = contact;
        decision.Number = *newest;
        return decision;
      }
    }
    catch (const Error& error)
    {
      if (!MeansNoServer(error))
      {
        throw;
      }
      if (question.Create && settings.DiskWithoutServer)
      {
        RoutingDecision decision;
        decision.WithoutServer = error.what();
        return decision;
      }
      // A file that is on disk can be read whatever became of the server.
      if (question.Create || !(settings.DiskWithoutServer || directory.OnDisk(fileName)))
      {
        throw;
      }
    }
  }
  return {};
}

}
