// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/FileRouting.h"

#include "Base/Error.h"
#include "Base/FileName.h"
#include "Encoding/Fields.h"

#include <hdf5.h>

#include <algorithm>
#include <cerrno>

namespace dsm
{

namespace
{

/// Whether the program goes on by itself when a server cannot be asked.
bool GoesOn(const RoutingSettings& settings)
{
  return settings.IfLost == WithoutServer::Disk || settings.IfLost == WithoutServer::Discard;
}

/// The program goes on without a server. Only the one that the user named is missed.
void GoOnWithout(const std::string& contact, const RoutingSettings& settings,
  SnapshotDirectory& directory, const Error& why)
{
  if (contact == settings.Contact)
  {
    directory.GoOnWithout(contact, why);
  }
}

/// True for a server's contact: this process is connected to it, or such a file is there.
bool IsServer(const std::string& contact, const SnapshotDirectory& directory)
{
  const auto held = directory.ConnectedContacts();
  return std::find(held.begin(), held.end(), contact) != held.end() ||
    directory.IsContactFile(contact);
}

/// What comes before the ending of a name; none where it ends otherwise.
std::optional<std::string> Before(const std::string& ending, const std::string& name)
{
  return name.ends_with(ending) ? std::optional(name.substr(0, name.size() - ending.size()))
                                : std::nullopt;
}

/// "run.dsm#12" and "run.dsm#latest": the name says everything. None when the part before '#' is no
/// contact file, for '#' is an ordinary character in file names.
std::optional<RoutingDecision> RouteByNumber(
  const OpenRequest& request, SnapshotDirectory& directory)
{
  const auto reference = ParseSnapshotName(request.Name);
  const auto before = reference ? reference->ContactFile : Before(LatestName(""), request.Name);
  if (!before)
  {
    return std::nullopt;
  }
  const std::string contact = AbsoluteName(*before);
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
  decision.Number = reference ? reference->Number : directory.Latest(contact);
  return decision;
}

/// "run.dsm#Interactions", or "dsm#Interactions" for the server the user named.
std::optional<RoutingDecision> RouteInteractions(
  const OpenRequest& request, const RoutingSettings& settings, SnapshotDirectory& directory)
{
  const auto before = Before(InteractionsName(""), request.Name);
  if (!before)
  {
    return std::nullopt;
  }
  RoutingDecision decision;
  decision.Contact = AbsoluteName(*before);
  if (*before == "dsm" && settings.Contact)
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
    if (!GoesOn(settings))
    {
      throw;
    }
    GoOnWithout(decision.Contact, settings, directory, error);
    return RoutingDecision(); // there is no such file, and the program has its own values
  }
}

/// The newest snapshot of a file whose placeholder says that it has left the memory; none if it
/// has. A version that a newer one replaces may leave before the writer has entered the newer one
/// in the placeholder. And while it enters that, the server may mark the version before: for a
/// moment the placeholder has the number of the one and the state of the other.
std::optional<SnapshotId> NewestBehind(const OpenRequest& request, const PlaceholderContents& there,
  const RoutingSettings& settings, SnapshotDirectory& directory)
{
  PlaceholderContents file = there;
  PlaceholderAddress& address = file.Address;
  if (there.State != PlaceholderState::Dropped || address.Number == 0 ||
    !IsServer(address.Contact, directory))
  {
    return std::nullopt;
  }
  try
  {
    const std::string contact = directory.ContactOf(address, settings.Contact);
    address.Image.reset();
    address.Before = address.Number;
    return directory.NewestOf(contact, request.Path, file);
  }
  catch (const Error&)
  {
    return std::nullopt;
  }
}

/// The servers that may know a file: the one the user named if the pattern fits, then, for reading,
/// those this process is connected to anyway.
std::vector<std::string> ServersToAsk(
  const OpenRequest& request, const RoutingSettings& settings, const SnapshotDirectory& directory)
{
  std::vector<std::string> contacts;
  if (settings.Contact && (!settings.Match || MatchesPattern(*settings.Match, request.Path)))
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

/// Throws what a program hears that asked for a new file only. In HDF5's words, where h5py looks
/// for the error's kind.
[[noreturn]] void ThrowExists(const OpenRequest& request, const std::string& as)
{
  throw Error(Fault::Usage,
    "cannot create {}: it exists {}, and the program asked for a new file only (H5F_ACC_EXCL): "
    "errno = {}, error message = '{}'",
    request.Name, as, EEXIST, SystemText(EEXIST));
}

/// Whether a name is on disk if a file in memory has it.
bool NamesCount(
  const std::string& fileName, const RoutingSettings& settings, const SnapshotDirectory& directory)
{
  return settings.NamesOnDisk && !directory.LacksNames(fileName) &&
    directory.CouldBeOnDisk(fileName);
}

/// Whether a snapshot's name was on disk and is not any more, so that it is not the file's: it was
/// removed or renamed, perhaps with its folder. Behind SnapshotDirectory::Newest.
bool HasLostName(
  const std::string& fileName, const RoutingSettings& settings, const SnapshotDirectory& directory)
{
  return settings.NamesOnDisk && directory.NewestHadName() && !directory.OnDisk(fileName);
}

RoutingDecision RouteCreation(const OpenRequest& request, const std::string& contact,
  const RoutingSettings& settings, SnapshotDirectory& directory)
{
  const std::string& fileName = request.Path;
  RoutingDecision decision;
  decision.Where = Route::NewImage;
  decision.Contact = contact;
  directory.RequireServer(contact);
  if (request.Truncate ||
    (NamesCount(fileName, settings, directory) && !directory.OnDisk(fileName)))
  {
    return decision;
  }
  try
  {
    const auto newest = directory.Newest(contact, fileName);
    if (newest && !HasLostName(fileName, settings, directory))
    {
      decision.Where = Route::ImageFromSnapshot;
      decision.Number = *newest;
    }
  }
  catch (const Error& error)
  {
    // There is none any more, and nobody could remove it.
    if (error.GetFault() != Fault::Gone)
    {
      throw;
    }
  }
  return decision;
}

/// What a server says of a file that goes there or is there; Foreign when it is none of its files.
RoutingDecision RouteBy(const std::string& contact, const OpenRequest& request,
  const RoutingSettings& settings, SnapshotDirectory& directory)
{
  const std::string& fileName = request.Path;
  RoutingDecision decision;
  if (request.Create)
  {
    // The server's pattern says where new files go; those that exist are where they are.
    return settings.Match || MatchesPattern(directory.Wanted(contact), fileName)
      ? RouteCreation(request, contact, settings, directory)
      : decision;
  }
  const auto newest = directory.Newest(contact, fileName);
  if (newest && !HasLostName(fileName, settings, directory))
  {
    decision.Where = request.Write ? Route::ImageFromSnapshot : Route::Snapshot;
    decision.Contact = contact;
    decision.Number = *newest;
  }
  return decision;
}

/// A new file of which a server cannot be asked.
RoutingDecision RouteWithout(const std::string& contact, const OpenRequest& request,
  const RoutingSettings& settings, const SnapshotDirectory& directory)
{
  RoutingDecision decision;
  if (settings.IfLost == WithoutServer::Discard &&
    (settings.Match || MatchesPattern(directory.WantedBefore(contact), request.Path)))
  {
    decision.Where = Route::Discarded;
  }
  return decision;
}

/// Returns what a file on disk is that the server which takes this program's files has put there;
/// none for any other file. A program that only reads does not speak to the server for files that
/// were there before the server.
std::optional<SnapshotDirectory::PutFile> FindPutOnDisk(
  const OpenRequest& request, const RoutingSettings& settings, SnapshotDirectory& directory)
{
  const std::string& fileName = request.Path;
  const bool may = settings.NamesOnDisk && settings.Contact &&
    (!settings.Match || MatchesPattern(*settings.Match, fileName)) && directory.OnDisk(fileName);
  return may ? directory.FindPut(*settings.Contact, fileName, request.Write) : std::nullopt;
}

/// A program that reads what another writes: it waits for what it has not read yet. Files that are
/// on disk, and none of the server's, it reads as ever.
std::optional<RoutingDecision> RouteNext(
  const OpenRequest& request, const RoutingSettings& settings, SnapshotDirectory& directory)
{
  if (!settings.ReadsNext || !settings.Contact || request.Write || request.Create)
  {
    return std::nullopt;
  }
  const std::string& fileName = request.Path;
  const auto isWanted = [&]
  {
    return MatchesPattern(
      settings.Match ? *settings.Match : directory.Wanted(*settings.Contact), fileName);
  };
  const bool isIt = directory.PlaceholderAt(fileName) ||
    (directory.OnDisk(fileName) ? directory.FindPut(*settings.Contact, fileName, true).has_value()
                                : isWanted());
  if (!isIt)
  {
    return std::nullopt;
  }
  RoutingDecision decision;
  decision.Where = Route::Snapshot;
  decision.Contact = *settings.Contact;
  decision.Number = directory.Next(decision.Contact, fileName, settings.ReadLimit);
  decision.Next = true;
  return decision;
}

/// A file that a snapshot leads to is read as it was then, whatever it is now. A reader that asked
/// for SWMR follows each file instead, as on disk.
std::optional<RoutingDecision> RouteByMaster(
  const OpenRequest& request, SnapshotDirectory& directory)
{
  if (!request.Master || request.Write || request.Create || request.ReadsLive)
  {
    return std::nullopt;
  }
  const std::string& fileName = request.Path;
  const auto there = directory.PlaceholderAt(fileName);
  if (!there && !directory.OnDisk(fileName) && directory.CouldBeOnDisk(fileName))
  {
    return std::nullopt;
  }
  const auto number =
    directory.Version(*request.Master, fileName, there ? there->Address.Number : SnapshotId(0));
  if (!number)
  {
    return std::nullopt;
  }
  RoutingDecision decision;
  decision.Where = *number == 0 ? Route::Foreign : Route::Snapshot;
  decision.Contact = *number == 0 ? std::string() : request.Master->Contact;
  decision.Number = *number;
  return decision;
}

/// A file that is to be emptied, but not created: HDF5's family driver asks so for its members,
/// until there is none any more. One that is there is made anew, wherever it was.
RoutingDecision RouteEmptied(
  const OpenRequest& request, const RoutingSettings& settings, SnapshotDirectory& directory)
{
  OpenRequest other = request;
  other.Truncate = false;
  const bool there = directory.OnDisk(request.Path) ||
    DecideRoute(other, settings, directory).Where != Route::Foreign;
  other.Truncate = there;
  other.Create = there;
  return there ? DecideRoute(other, settings, directory) : RoutingDecision();
}

}

void OpenRequest::SetName(const std::string& name)
{
  this->Name = name;
  this->Path = AbsoluteName(name);
}

OpenRequest OpenRequest::FromFlags(const std::string& name, unsigned flags)
{
  OpenRequest request;
  request.SetName(name);
  request.Write = (flags & H5F_ACC_RDWR) != 0;
  request.Create = (flags & (H5F_ACC_CREAT | H5F_ACC_EXCL)) != 0;
  request.Truncate = (flags & H5F_ACC_TRUNC) != 0;
  request.Exclusive = (flags & H5F_ACC_EXCL) != 0;
  request.WhileRead = (flags & H5F_ACC_SWMR_WRITE) != 0;
  request.ReadsLive = (flags & H5F_ACC_SWMR_READ) != 0;
  return request;
}

void Describe(Fields& fields, RoutingDecision& decision)
{
  int where = static_cast<int>(decision.Where);
  fields("Where", where);
  decision.Where = static_cast<Route>(where);
  fields("Contact", decision.Contact);
  fields("Number", decision.Number);
  fields("Place", decision.Place);
  fields("Live", decision.Live);
  fields("Next", decision.Next);
}

RoutingDecision RouteByPlaceholder(const OpenRequest& request, const PlaceholderContents& there,
  const RoutingSettings& settings, SnapshotDirectory& directory)
{
  const PlaceholderAddress& address = there.Address;
  RoutingDecision decision;
  decision.Where = request.Write ? Route::ImageFromSnapshot : Route::Snapshot;
  decision.Number = address.Number;
  decision.Place = address.Place;
  decision.There = there;
  if (there.State != PlaceholderState::InMemory)
  {
    const auto newest = NewestBehind(request, there, settings, directory);
    if (!newest)
    {
      throw Error(Fault::Gone, "{} {}", request.Name, PlaceholderEnd(there.State));
    }
    decision.Number = *newest;
    decision.Place.reset();
  }
  try
  {
    decision.Contact = directory.ContactOf(address, settings.Contact);
  }
  catch (const Error& error)
  {
    throw LostWithServer(request.Name, error);
  }
  if (request.ReadsLive && !request.Write)
  {
    decision.Live = address.Live;
  }
  if (decision.Number == 0)
  {
    // Until it is closed, readers see what was there before.
    decision.Number =
      directory.NewestOf(decision.Contact, request.Path, there).value_or(SnapshotId(0));
  }
  if (decision.Number == 0 && !decision.Live)
  {
    throw Error(Fault::Refused,
      "{} is still being written (errno = {}, error message = '{}'). It is read when it is closed",
      request.Name, EAGAIN, SystemText(EAGAIN));
  }
  return decision;
}

RoutingDecision DecideRoute(
  const OpenRequest& request, const RoutingSettings& settings, SnapshotDirectory& directory)
{
  if (request.Truncate && !request.Create)
  {
    return RouteEmptied(request, settings, directory);
  }
  if (auto decision = RouteByNumber(request, directory))
  {
    return *decision;
  }
  if (auto decision = RouteInteractions(request, settings, directory))
  {
    return *decision;
  }
  const std::string& fileName = request.Path;
  RoutingDecision decision;
  // HDF5 refuses to make a file in a folder that is not there, as it does without us.
  if (request.Create && settings.NamesOnDisk && !directory.HasFolder(fileName))
  {
    return decision;
  }
  if (const auto then = RouteByMaster(request, directory))
  {
    return *then;
  }
  if (const auto next = RouteNext(request, settings, directory))
  {
    return *next;
  }
  if (!request.Create)
  {
    if (const auto there = directory.PlaceholderAt(fileName))
    {
      return RouteByPlaceholder(request, *there, settings, directory);
    }
    if (const auto put = FindPutOnDisk(request, settings, directory);
      put && put->Newest != 0 && settings.Contact)
    {
      decision.Where = request.Write ? Route::ImageFromSnapshot : Route::Snapshot;
      decision.Contact = *settings.Contact;
      decision.Number = put->Newest;
      decision.Put = put->Mark;
      return decision;
    }
  }
  // Where names are on disk, a name without a placeholder is that of a file there, or of none.
  if (settings.NamesOnDisk && (!request.Create || request.Exclusive) &&
    !directory.LacksNames(fileName) &&
    (directory.OnDisk(fileName) || (!request.Create && directory.CouldBeOnDisk(fileName))))
  {
    // HDF5 would look again, and create it if it has just been removed.
    if (request.Exclusive && !ServersToAsk(request, settings, directory).empty())
    {
      ThrowExists(request, "on disk");
    }
    return decision;
  }
  std::optional<Error> unknown; // why a server could not be asked that may have the file
  for (const std::string& contact : ServersToAsk(request, settings, directory))
  {
    try
    {
      decision = RouteBy(contact, request, settings, directory);
    }
    catch (const Error& error)
    {
      if (error.GetFault() == Fault::Gone || error.GetFault() == Fault::Usage ||
        (!GoesOn(settings) && (request.Create || !MeansNoServer(error))))
      {
        throw;
      }
      if (GoesOn(settings))
      {
        GoOnWithout(contact, settings, directory, error);
      }
      if (request.Create)
      {
        return RouteWithout(contact, request, settings, directory);
      }
      unknown = unknown ? *unknown : error;
    }
    if (decision.Where != Route::Foreign)
    {
      break;
    }
  }
  if (request.Exclusive && decision.Where == Route::ImageFromSnapshot)
  {
    ThrowExists(request, fmt::format("as snapshot {} of {}", decision.Number, decision.Contact));
  }
  // A file that is on disk can be read whatever became of the server.
  if (unknown && decision.Where == Route::Foreign && !directory.OnDisk(fileName))
  {
    throw Error(unknown->GetFault(),
      "{} is not on disk, and whether a server has it is unknown: {}", request.Name,
      unknown->what());
  }
  return decision;
}

}
