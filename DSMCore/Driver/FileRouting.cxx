// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/FileRouting.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Encoding/Fields.h"
#include "Protocol/FilePolicy.h"

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
  const auto held = directory.ConnectedContacts();
  return std::find(held.begin(), held.end(), contact) != held.end() ||
    directory.IsContactFile(contact);
}

/// "run.dsm#12": the name says everything. None when the part before '#' is no contact file, for
/// '#' is an ordinary character in file names.
std::optional<RoutingDecision> RouteByNumber(
  const OpenRequest& request, const SnapshotDirectory& directory)
{
  const auto reference = ParseSnapshotName(request.Name);
  if (!reference)
  {
    return std::nullopt;
  }
  const std::string contact = AbsoluteName(reference->ContactFile);
  if (!IsServer(contact, directory))
  {
    return std::nullopt;
  }
  if (request.Write || request.Create)
  {
    throw Error(Fault::Usage,
      "{} is a snapshot, which never changes: open it read-only, or write under the name of a file",
      request.Name);
  }
  RoutingDecision decision;
  decision.Where = Route::Snapshot;
  decision.Contact = contact;
  decision.Number = reference->Number;
  return decision;
}

/// "run.dsm#Interactions", or "dsm#Interactions" for the server the user named.
std::optional<RoutingDecision> RouteInteractions(
  const OpenRequest& request, const RoutingSettings& settings, SnapshotDirectory& directory)
{
  const std::string ending = InteractionsName("");
  if (!request.Name.ends_with(ending))
  {
    return std::nullopt;
  }
  const std::string before = request.Name.substr(0, request.Name.size() - ending.size());
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
  if (request.Write || request.Create)
  {
    throw Error(Fault::Usage, "{} is for reading only: parameters are changed from ParaView's side",
      request.Name);
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
  const OpenRequest& request, const RoutingSettings& settings, const SnapshotDirectory& directory)
{
  std::vector<std::string> contacts;
  if (settings.Contact &&
    (!settings.Match || MatchesPattern(*settings.Match, AbsoluteName(request.Name))))
  {
    contacts.push_back(*settings.Contact);
  }
  if (!request.Write && !request.Create)
  {
    for (const std::string& contact : directory.ConnectedContacts())
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
  const OpenRequest& request, const std::string& contact, SnapshotDirectory& directory)
{
  RoutingDecision decision;
  decision.Where = Route::NewImage;
  decision.Contact = contact;
  directory.RequireServer(contact);
  if (request.Truncate)
  {
    return decision;
  }
  const auto newest = directory.Newest(contact, AbsoluteName(request.Name));
  if (newest && request.Exclusive)
  {
    throw Error(Fault::Refused,
      "{} exists as snapshot {} of {}, and the program asked for a new file only (H5F_ACC_EXCL)",
      request.Name, *newest, contact);
  }
  if (newest)
  {
    decision.Where = Route::ImageFromSnapshot;
    decision.Number = *newest;
  }
  return decision;
}

}

OpenRequest OpenRequest::FromFlags(const std::string& name, unsigned flags)
{
  OpenRequest request;
  request.Name = name;
  request.Write = (flags & H5F_ACC_RDWR) != 0;
  request.Create = (flags & (H5F_ACC_CREAT | H5F_ACC_TRUNC | H5F_ACC_EXCL)) != 0;
  request.Truncate = (flags & H5F_ACC_TRUNC) != 0;
  request.Exclusive = (flags & H5F_ACC_EXCL) != 0;
  return request;
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
  static_cast<void>(FilePolicy().WithEnvironment());
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

void Describe(Fields& fields, RoutingDecision& decision)
{
  int where = static_cast<int>(decision.Where);
  fields("Where", where);
  decision.Where = static_cast<Route>(where);
  fields("Contact", decision.Contact);
  fields("Number", decision.Number);
  fields("WithoutServer", decision.WithoutServer);
}

RoutingDecision DecideRoute(
  const OpenRequest& request, const RoutingSettings& settings, SnapshotDirectory& directory)
{
  if (auto decision = RouteByNumber(request, directory))
  {
    return *decision;
  }
  if (auto decision = RouteInteractions(request, settings, directory))
  {
    return *decision;
  }
  const std::string fileName = AbsoluteName(request.Name);
  for (const std::string& contact : ServersToAsk(request, settings, directory))
  {
    try
    {
      // The server's pattern says where new files go; those that exist are where they are.
      if (request.Create && !settings.Match && !MatchesPattern(directory.Wanted(contact), fileName))
      {
        continue;
      }
      if (request.Create)
      {
        return RouteCreation(request, contact, directory);
      }
      if (const auto newest = directory.Newest(contact, fileName))
      {
        RoutingDecision decision;
        decision.Where = request.Write ? Route::ImageFromSnapshot : Route::Snapshot;
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
      if (request.Create && settings.DiskWithoutServer)
      {
        RoutingDecision decision;
        decision.WithoutServer = error.what();
        return decision;
      }
      // A file that is on disk can be read whatever became of the server.
      if (request.Create || !(settings.DiskWithoutServer || directory.OnDisk(fileName)))
      {
        throw;
      }
    }
  }
  return {};
}

}
