// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/OpenFile.h"

#include "Base/Deadline.h"
#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileDescriptor.h"
#include "Base/FileMark.h"
#include "Base/FileName.h"
#include "Base/Log.h"
#include "Base/RandomNumber.h"
#include "Base/TestDelay.h"
#include "Driver/AccessInfo.h"
#include "Driver/DiscardedFile.h"
#include "Driver/FileLocking.h"
#include "Driver/FileOpenHere.h"
#include "Driver/FileRouting.h"
#include "Driver/FoldersWithoutNames.h"
#include "Driver/FollowedFile.h"
#include "Driver/Hdf5Library.h"
#include "Driver/ImageFile.h"
#include "Driver/Interactions.h"
#include "Driver/LiveDirectory.h"
#include "Driver/LiveFile.h"
#include "Driver/NameLook.h"
#include "Driver/NotYetOnDisk.h"
#include "Driver/Placeholder.h"
#include "Driver/RefusedAppend.h"
#include "Driver/SnapshotFile.h"
#include "Driver/TransferMode.h"
#include "Mpi/Agreement.h"
#include "Mpi/CollectiveWait.h"
#include "Mpi/SpareCommunicators.h"
#include "Peer/Connections.h"
#include "Peer/ImageClaim.h"
#include "Peer/JobConnection.h"
#include "Peer/Peek.h"
#include "Protocol/SnapshotMessages.h"
#include "Transport/TransportKind.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace dsm
{

namespace
{

/// What rank 0 has decided for all.
struct Decided
{
  RoutingDecision Route;
  WithoutServer IfLost = WithoutServer::Disk;
  SingleProcessPolicy OneForAll = SingleProcessPolicy::Asked;
  bool NamesOnDisk = false;
  TransferMode Transfer = TransferMode::Automatic;
  std::optional<BegunImage> Begun; ///< for an image: rank 0 has it,
  bool Refused = false;            ///< or cannot have it
  Fault Reason = Fault::System;
  std::string Why;
  JobConnection Server{}; ///< of a snapshot
  /// The number of an image's communicator (SpareCommunicators); 0 if it is not to be kept.
  std::uint64_t RanksNumber = 0;
  bool RanksAreSpare = false; ///< and all ranks have it
  /// To the server of a snapshot or an image, on rank 0 only. It is not broadcast. Rank 0 must not
  /// look for the server again: the answer may be another one, and the other ranks would not know.
  std::shared_ptr<Connection> Link{};
  /// The file on disk that has an image's name, on rank 0 only; null if nothing can have it there.
  std::shared_ptr<Placeholder> OnDisk{};
  /// The identity of a file that this process has open under the name, on rank 0 only.
  std::string OpenHere{};
  NameLook Look{}; ///< on rank 0 only
};

void Describe(Fields& fields, Decided& decided)
{
  fields("Route", decided.Route);
  fields.AsText("IfLost", decided.IfLost, WithoutServerText,
    [](const std::string& text) { return WithoutServerFromText(text, "IfLost"); });
  fields.AsText("OneForAll", decided.OneForAll, SingleProcessText,
    [](const std::string& text) { return SingleProcessFromText(text, "OneForAll"); });
  fields("NamesOnDisk", decided.NamesOnDisk);
  fields.AsText("Transfer", decided.Transfer, TransferModeText,
    [](const std::string& text) { return TransferModeFromText(text, "Transfer"); });
  fields("Begun", decided.Begun);
  fields("Refused", decided.Refused);
  fields.AsText("Reason", decided.Reason, FaultName, FaultFromName);
  fields("Why", decided.Why);
  fields("Server", decided.Server);
  fields("RanksNumber", decided.RanksNumber);
  fields("RanksAreSpare", decided.RanksAreSpare);
}

/// What `work` does needs the server that has a snapshot, which may be lost only now.
template <typename Work>
auto Reaching(const OpenRequest& request, const Work& work)
{
  try
  {
    return work();
  }
  catch (const Error& error)
  {
    if (!MeansNoServer(error))
    {
      throw;
    }
    throw LostWithServer(request.Name, error);
  }
}

/// A file that goes nowhere is kept by its process until it is closed, so it must be one. Said also
/// while the server is there: in the middle of a run nobody could choose otherwise any more.
void RequireDiscardable(const OpenRequest& request, const AccessList& access)
{
  if (access.Ranks.Size() > 1)
  {
    throw Error(Fault::Unsupported,
      "{} is written by {} ranks together, and such a file cannot be discarded when ParaView does "
      "not answer: choose another DSM_WITHOUT_SERVER (--without-server) than \"discard\"",
      request.Name, access.Ranks.Size());
  }
}

/// On rank 0: once, what follows from a server that is missing.
void TellOfMissing(const std::string& contact, const std::string& name, WithoutServer policy)
{
  const auto missing = connections::TakeUntold(contact);
  if (!missing)
  {
    return;
  }
  // Who started the program by dsm-run has read it there.
  const bool known = !missing->WasThere && environment::Text("DSM_KNOWN_MISSING") == contact;
  Log().log(known ? LogLevel::Info : LogLevel::Warning,
    "{}\ndsm warning: {} and the files after it {} until the server is there "
    "(DSM_WITHOUT_SERVER={})",
    missing->Why.what(), name, policy == WithoutServer::Disk ? "go to disk" : "are discarded",
    WithoutServerText(policy));
  NotYetOnDisk::Warn(contact);
}

/// Readers find what is being written by the placeholder.
void RefuseWhileRead(const OpenRequest& request, const AccessList& access, const Decided& decided)
{
  if (request.WhileRead && (access.Parallel() || !decided.NamesOnDisk))
  {
    throw Error(Fault::Unsupported,
      "{} is to be read while it is written (H5F_ACC_SWMR_WRITE), and in memory only a file of one "
      "process can be, and with its name on disk (DSM_PLACEHOLDERS)",
      request.Name);
  }
}

bool IsImage(Route route)
{
  return route == Route::NewImage || route == Route::ImageFromSnapshot;
}

/// On rank 0: the file on disk that is to have the name of an image; null if none can. Without it
/// the image is as good, but whoever looks for its name does not find it on disk.
std::shared_ptr<Placeholder> TakeName(const OpenRequest& request, const AccessList& access,
  const RoutingDecision& route, Connection& server)
{
  const std::string& fileName = request.Path;
  std::shared_ptr<Placeholder> name;
  try
  {
    name = std::make_shared<Placeholder>(fileName,
      request.Exclusive          ? Placeholder::Name::Free
        : route.IsByNameOnDisk() ? Placeholder::Name::Taken
                                 : Placeholder::Name::Any,
      PlaceholderAddress{ route.Contact, server.GetContact().ServerPublicKey });
  }
  catch (const Error& error)
  {
    if (error.GetFault() == Fault::Usage)
    {
      throw;
    }
    if (FoldersWithoutNames::Add(fileName))
    {
      Log().warn("{}\ndsm warning: {} is in memory all the same, and its name is not on disk: what "
                 "is behind dsm-run finds it by asking the server",
        error.what(), fileName);
    }
    return nullptr;
  }
  // The server never changes a file that it has put on disk, so readers of it need no lock.
  if (access.Locks && name->IsLockedOnDisk(!server.GetFilePolicy().MayBeOnDisk))
  {
    throw Error(Fault::Usage, LockedOnDiskText(fileName));
  }
  return name;
}

/// Whether the name still stands for what an image is to begin as: another program may have renamed
/// a file to it since the route was decided, or the server may have put the file there.
bool IsAsDecided(const RoutingDecision& route, const Placeholder& name)
{
  const auto& found = name.Found();
  if (route.Put)
  {
    return !found && name.Mark() == route.Put;
  }
  return !route.There || (found && found->IsOfSameState(*route.There));
}

/// On rank 0: asks for an image at once, so that all ranks hear in one message what the file is and
/// where it goes. Why there is none, all are told, who then decide together what becomes of it.
/// Returns false if the name stands for another file by now, so that the route is to be decided
/// again.
bool BeginAtOnce(
  const OpenRequest& request, const AccessList& access, LiveDirectory& directory, Decided& decided)
{
  decided.Refused = false;
  try
  {
    RefuseWhileRead(request, access, decided);
    if (access.Parallel())
    {
      hdf5library::RequireTransferContext();
    }
    directory.LetGo();
    decided.Link = directory.Link(decided.Route.Contact);
    BeginImage begin{ request.Path, decided.Route.Number,
      static_cast<std::uint64_t>(access.Ranks.Size()) };
    begin.Locks = access.Locks;
    begin.IsNew = request.Exclusive;
    if (decided.NamesOnDisk)
    {
      decided.OnDisk = TakeName(request, access, decided.Route, *decided.Link);
    }
    if (decided.OnDisk)
    {
      if (!IsAsDecided(decided.Route, *decided.OnDisk))
      {
        return false;
      }
      begin.OnDisk = decided.OnDisk->There(decided.Link->GetContact().ServerPublicKey);
    }
    decided.Begun = WritableImage::Ask(decided.Link, std::move(begin));
    decided.Route.Number = decided.Begun->Granted.CopyOf;
  }
  catch (const std::exception& error)
  {
    if (Error::From(error).GetFault() == Fault::Usage && decided.OnDisk)
    {
      decided.OnDisk->Leave();
    }
    decided.OnDisk.reset();
    decided.Refused = true;
    decided.Reason = Error::From(error).GetFault();
    decided.Why = error.what();
  }
  return true;
}

/// Whether the route of an image that was refused is to be decided again. `tried`: the snapshots
/// that were to be images of what the server has put on disk. Such a one leaves the memory at any
/// moment, and then the file on disk is the newest version. Each is tried once, for the refusal may
/// have another reason.
bool IsOutdated(const Decided& decided, std::set<SnapshotId>& tried)
{
  return decided.Refused &&
    (decided.Look.Explains(decided.Reason) ||
      (decided.Route.Put && NameLook::IsMissing(decided.Reason) &&
        tried.insert(decided.Route.Number).second));
}

/// Whether this process has the image or the snapshot open: then it is opened again, and no other.
bool IsOpenHere(const OpenRequest& request, const AccessList& access, const RoutingDecision& route);

/// On rank 0: decides, and waits for the server if the program wants that.
RoutingDecision RouteOrWait(
  const OpenRequest& request, const RoutingSettings& settings, LiveDirectory& directory)
{
  for (;;)
  {
    try
    {
      return DecideRoute(request, settings, directory);
    }
    catch (const Error& error)
    {
      if (!request.Create || settings.IfLost != WithoutServer::Wait || !settings.Contact ||
        !MeansNoServer(error))
      {
        throw;
      }
      directory.Await(*settings.Contact, error);
    }
  }
}

/// The identity of the snapshot whose file this process has open and is to create anew; empty if it
/// is no such file.
std::string OpenForCreation(const OpenRequest& request, const RoutingSettings& settings,
  const AccessList& access, LiveDirectory& directory);

/// `begins`: where it is an image, that is asked for.
Decided DecideTogether(
  const OpenRequest& request, const AccessList& access, LiveDirectory& directory, bool begins)
{
  return RunOnRankZero(access.Ranks,
    [&]
    {
      const auto settings = RoutingSettings::FromEnvironment(access.Contact);
      directory.SetPolicy(settings.IfLost);
      Decided decided;
      decided.IfLost = settings.IfLost;
      decided.OneForAll = SingleProcessFromEnvironment();
      decided.NamesOnDisk = settings.NamesOnDisk;
      decided.Transfer = settings.Transfer;
      bool isSettled = false;
      std::set<SnapshotId> tried;
      for (int looks = 0; !isSettled && looks < MostLooks; ++looks)
      {
        decided.Look = NameLook(request.Path);
        try
        {
          // A program writes into /dev/null, or is refused a folder: neither has room for a file.
          decided.Route =
            decided.Look.IsNoFile() ? RoutingDecision() : RouteOrWait(request, settings, directory);
        }
        catch (const Error& error)
        {
          if (!decided.Look.Explains(error.GetFault()))
          {
            throw;
          }
          continue;
        }
        const bool ours = decided.Route.Where != Route::Foreign;
        if (request.Create && ours && settings.IfLost == WithoutServer::Discard)
        {
          RequireDiscardable(request, access);
        }
        if (request.Create && directory.Missed())
        {
          TellOfMissing(*settings.Contact, request.Name, settings.IfLost);
        }
        if (decided.Route.Where == Route::NewImage)
        {
          decided.OpenHere = OpenForCreation(request, settings, access, directory);
        }
        const bool asks = begins && IsImage(decided.Route.Where) && decided.OpenHere.empty() &&
          !IsOpenHere(request, access, decided.Route);
        isSettled = !asks ||
          (BeginAtOnce(request, access, directory, decided) && !IsOutdated(decided, tried));
      }
      if (!isSettled)
      {
        throw Error(Fault::Usage,
          "cannot open {}: whenever it is looked at, another file has the name", request.Name);
      }
      if (decided.Route.Where == Route::Snapshot)
      {
        decided.Link = Reaching(request, [&] { return directory.Link(decided.Route.Contact); });
        decided.Server = JobConnection::Of(*decided.Link);
      }
      if (begins && access.Ranks.IsBorrowed() && IsImage(decided.Route.Where))
      {
        const std::uint64_t spare = SpareCommunicators::Find(access.Ranks);
        decided.RanksAreSpare = spare != 0;
        decided.RanksNumber = spare != 0 ? spare : RandomNumber();
      }
      return decided;
    });
}

/// Makes the communicator one that outlives the access list: a spare one if rank 0 has one, else a
/// duplicate. Collective.
void OwnRanks(AccessList& access, const Decided& decided)
{
  if (!access.Ranks.IsBorrowed())
  {
    return;
  }
  try
  {
    access.Ranks = decided.RanksAreSpare ? SpareCommunicators::Take(decided.RanksNumber)
                                         : Communicator::Duplicate(access.Ranks.Handle());
    access.RanksNumber = decided.RanksNumber;
  }
  catch (const Error&)
  {
    if (decided.Begun)
    {
      ImageClaim(decided.Begun->Granted.Image.Image, access.Ranks.Rank(), decided.Link)
        .Discard("its ranks have no communicator");
    }
    throw;
  }
}

/// Returns what becomes of a file that could not be begun in memory: Foreign, Discarded, or none
/// when rank 0 has waited for the server and the route is to be decided again. Collective: all
/// ranks throw the same error or none.
std::optional<Route> RouteAfter(const AgreedError& error, const OpenRequest& request,
  const Decided& decided, const AccessList& access, LiveDirectory& directory)
{
  const bool lost = MeansNoServer(error);
  // The name is taken, or the file locked: on disk it would be the same.
  const bool isNamesAffair = error.GetFault() == Fault::Usage;
  if (!request.Create || isNamesAffair || decided.IfLost == WithoutServer::Fail ||
    (decided.IfLost == WithoutServer::Wait && !lost))
  {
    throw; // it, as it is: this is called where it was caught
  }
  RunOnRankZero(access.Ranks,
    [&]
    {
      if (decided.IfLost == WithoutServer::Wait)
      {
        directory.Await(decided.Route.Contact, error);
      }
      else if (lost)
      {
        directory.GoOnWithout(decided.Route.Contact, error);
        TellOfMissing(decided.Route.Contact, request.Name, decided.IfLost);
      }
      else
      {
        // A reason that holds for all files of a program is reported once.
        static std::string last;
        const bool isNew = std::exchange(last, error.what()) != error.what();
        Log().log(isNew ? LogLevel::Warning : LogLevel::Info, "{}\ndsm warning: {} {}",
          error.what(), request.Name,
          decided.IfLost == WithoutServer::Disk ? "goes to disk" : "is discarded");
      }
    });
  return decided.IfLost == WithoutServer::Disk ? std::optional(Route::Foreign)
    : decided.IfLost == WithoutServer::Discard ? std::optional(Route::Discarded)
                                               : std::nullopt;
}

/// Rank 0 finds the snapshot and holds it for all.
std::unique_ptr<MemoryFile> OpenSnapshotTogether(const OpenRequest& request, const Decided& decided,
  const AccessList& access, LiveDirectory& directory)
{
  const auto link = decided.Server.Follow(access.Ranks, decided.Link);
  JoinHosts(access.Ranks, *link);
  std::unique_ptr<SnapshotView> view;
  const auto held = RunOnRankZero(access.Ranks,
    [&]
    {
      view = Reaching(request, [&] { return directory.View(decided.Route, request.Name); });
      return view->Description();
    });
  Totals mapsNotAll{ { 0 }, {} };
  const auto all = Agree(access.Ranks, mapsNotAll,
    [&]
    {
      link->Data(); // fails here rather than at the first read
      if (!view)
      {
        view = std::make_unique<SnapshotView>(link, held);
      }
      mapsNotAll.Maxima[0] = view->IsMapped() ? 0 : 1;
    });
  auto file = std::make_unique<SnapshotFile>(std::move(view), all.Maxima[0] == 0);
  if (decided.Route.Next)
  {
    file->CountsAsRead(decided.Route.Contact, request.Path);
  }
  return file;
}

/// Returns true if a reader is to see what others write into the file meanwhile.
bool IsFollowed(const OpenRequest& request, const RoutingDecision& decision)
{
  return request.ReadsLive && decision.Where == Route::Snapshot && decision.There;
}

/// Opens the image that a process is writing. Returns null if the writer has ended.
std::unique_ptr<MemoryFile> OpenLive(const OpenRequest& request, const RoutingDecision& decision,
  const std::shared_ptr<Connection>& link)
{
  auto image = decision.Live ? LiveImage::Open(link, request.Path, *decision.Live) : nullptr;
  return image ? std::make_unique<LiveFile>(std::move(image)) : nullptr;
}

/// Opens what a placeholder says now, for one process.
std::unique_ptr<MemoryFile> OpenChanged(
  const OpenRequest& request, const RoutingSettings& settings, const PlaceholderContents& there)
{
  LiveDirectory directory("viewer", 1);
  const RoutingDecision decision = RouteByPlaceholder(request, there, settings, directory);
  auto file = OpenLive(request, decision, directory.Link(decision.Contact));
  if (!file)
  {
    auto view = directory.View(decision, request.Name);
    const bool mapped = view->IsMapped();
    file = std::make_unique<SnapshotFile>(std::move(view), mapped);
  }
  return file;
}

/// Makes a file follow its placeholder, unless the name is another file's by now.
std::unique_ptr<MemoryFile> Followed(std::unique_ptr<MemoryFile> file, const OpenRequest& request,
  const PlaceholderContents& there, const AccessList& access)
{
  const std::string& path = request.Path;
  FileDescriptor placeholder(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto found = PlaceholderContents::Read(placeholder.Get(), path);
  if (!found || found->Identity != there.Identity)
  {
    return file;
  }
  return std::make_unique<FollowedFile>(std::move(file), there, std::move(placeholder),
    [request, settings = RoutingSettings::FromEnvironment(access.Contact)](
      const PlaceholderContents& now) { return OpenChanged(request, settings, now); });
}

/// Makes what all ranks have agreed on. Collective: all ranks throw the same AgreedError or none,
/// since each step that one rank does alone is a part of an agreement.
std::unique_ptr<MemoryFile> MakeFile(const OpenRequest& request, const Decided& decided,
  const AccessList& access, LiveDirectory& directory)
{
  testdelay::At("making a file");
  const RoutingDecision& decision = decided.Route;
  if (decision.Where == Route::Discarded)
  {
    return std::make_unique<DiscardedFile>();
  }
  if (decision.Where == Route::Interactions)
  {
    // One look for all ranks: all see the same values.
    auto image = RunOnRankZero(access.Ranks,
      [&]
      {
        ReadInteractions read;
        read.Peek = Peek::Active();
        return InteractionsImage(directory.Link(decision.Contact)->Ask(read));
      });
    return std::make_unique<InteractionsFile>(request.Name, std::move(image));
  }
  const bool isFollowed = IsFollowed(request, decision);
  auto live = isFollowed ? OpenLive(request, decision, decided.Link) : nullptr;
  if (!live && decision.Where == Route::Snapshot && decision.Number == 0)
  {
    throw AgreedError(Fault::Refused,
      fmt::format("cannot open {}: its writer has just ended. Open it again", request.Name));
  }
  if (isFollowed)
  {
    return Followed(
      live ? std::move(live) : OpenSnapshotTogether(request, decided, access, directory), request,
      *decision.There, access);
  }
  if (decision.Where == Route::Snapshot)
  {
    return OpenSnapshotTogether(request, decided, access, directory);
  }
  if (decided.Refused)
  {
    throw AgreedError(decided.Reason, decided.Why);
  }
  return std::make_unique<ImageFile>(access.Ranks, decided.Link,
    ImageFile::Plan{ request.Path, decision.Number, decided.IfLost, decided.NamesOnDisk,
      decided.OnDisk, decided.Begun.value() });
}

/// A file that this process has open: HDF5 sees by the identity that it has it, says so where the
/// flags make no sense then, and closes this one.
class FileOpenedAgain : public ReadOnlyFile
{
public:
  std::uint64_t InitialEnd() const override { return 0; }
  void Read(FileOffset, void*, std::uint64_t) override {}
  void Write(FileOffset, const void*, std::uint64_t) override {}
};

std::unique_ptr<OpenMemoryFile> OpenAgain(std::string identity)
{
  auto opened = std::make_unique<OpenMemoryFile>();
  opened->File = std::make_unique<FileOpenedAgain>();
  opened->Identity = std::move(identity);
  return opened;
}

/// What a file is to a process that has it for itself, none where each opening is to be another:
/// that of several ranks. A forked child has its parent's files in its memory, and opens its own.
std::string Identity(const AccessList& access, const std::string& file)
{
  return access.Parallel() ? std::string() : fmt::format("{}\n{}", getpid(), file);
}

/// An image is its name.
std::string ImageIdentity(const AccessList& access, const OpenRequest& request)
{
  return Identity(access, fmt::format("{}\n{}", access.Contact, request.Path));
}

/// Returns the identity of a snapshot, which is its number.
std::string SnapshotIdentity(const AccessList& access, const RoutingDecision& decision)
{
  return Identity(access, SnapshotName(decision.Contact, decision.Number));
}

/// Returns the identity of a file that is followed, which is that of its placeholder.
std::string FollowedIdentity(const AccessList& access, const RoutingDecision& decision)
{
  return decision.There
    ? Identity(access, fmt::format("{}\n{}", decision.Contact, decision.There->Identity))
    : std::string();
}

/// Returns the identity under which this process has a decision's snapshot or its file open; empty
/// if it has not.
std::string OpenIdentity(const AccessList& access, const RoutingDecision& decision)
{
  if (decision.Where != Route::Snapshot && decision.Where != Route::ImageFromSnapshot)
  {
    return {};
  }
  for (std::string identity :
    { SnapshotIdentity(access, decision), FollowedIdentity(access, decision) })
  {
    if (FileOpenHere::Exists(identity))
    {
      return identity;
    }
  }
  return {};
}

/// On rank 0: false when there is none of that name. Its server forgets the name too, for those who
/// do not see this disk, unless that takes finding it first.
bool DeletePlaceholder(const std::string& fileName, const LiveDirectory& directory)
{
  const auto there = directory.PlaceholderAt(fileName);
  if (!there)
  {
    return false;
  }
  std::filesystem::remove(fileName); // throws where that is not possible
  const auto server = directory.Connected(there->Address);
  try
  {
    if (server)
    {
      server->Request(DeleteFile{ fileName });
    }
  }
  catch (const Error& error)
  {
    // It is lost, and what it knows with it.
    Log().debug("{} is deleted, and its server does not know: {}", fileName, error.what());
  }
  return true;
}

std::string OpenForCreation(const OpenRequest& request, const RoutingSettings& settings,
  const AccessList& access, LiveDirectory& directory)
{
  if (access.Parallel() || !FileOpenHere::Any())
  {
    return {};
  }
  OpenRequest read;
  read.Name = request.Name;
  read.Path = request.Path;
  RoutingSettings now = settings;
  now.ReadsNext = false;
  try
  {
    return OpenIdentity(access, DecideRoute(read, now, directory));
  }
  catch (const Error&)
  {
    return {}; // it cannot be opened, so it is not open
  }
}

bool IsOpenHere(const OpenRequest& request, const AccessList& access, const RoutingDecision& route)
{
  return FileOpenHere::Exists(ImageIdentity(access, request)) ||
    (route.Where == Route::ImageFromSnapshot && !OpenIdentity(access, route).empty());
}

/// A snapshot as the master of the files that it leads to.
MasterFile MasterOf(
  const OpenRequest& request, const RoutingDecision& route, const MemoryFile& file)
{
  MasterFile master{ route.Contact, route.Number };
  if (ParseSnapshotName(request.Name) || request.Name.ends_with(LatestName("")))
  {
    const auto folder = [](const std::string& name)
    { return std::filesystem::path(AbsoluteName(name)).parent_path().string(); };
    master.FolderOpened = folder(request.Name);
    master.Folder = folder(file.FileName());
  }
  return master;
}

/// HDF5 drops the error if it opens a part of a virtual dataset, and shows fill values. Logs the
/// reason, once for each.
void TellOfMissingPart(const AccessList& access, const std::string& name, const Error& error)
{
  if (!access.IsPart || access.Ranks.Rank() > 0 ||
    (error.GetFault() != Fault::Gone && !MeansNoServer(error)))
  {
    return;
  }
  static std::mutex guard;
  static std::set<std::string> told;
  const std::lock_guard lock(guard);
  if (told.insert(error.what()).second)
  {
    Log().error("{}. Another file has data in {}: a virtual dataset shows fill values in its place",
      error.what(), name);
  }
}

void NoteAttempt(const OpenRequest& request, const std::optional<std::string>& why)
{
  if (request.Write && !request.Create)
  {
    refusedappend::Note(request.Path, why);
  }
  else
  {
    refusedappend::Forget();
  }
}

/// Returns the refusal of a lock that stands behind the error of a creation, if one does. All ranks
/// have the same error, and the same opening before it.
std::optional<std::string> ReasonOfLock(
  const OpenRequest& request, const AccessList& access, const Error& error)
{
  const std::string exists = fmt::format("errno = {},", EEXIST);
  if (!request.Exclusive || std::string_view(error.what()).find(exists) == std::string_view::npos)
  {
    return std::nullopt;
  }
  return RunOnRankZero(
    access.Ranks, [&] { return refusedappend::Reason(request.Path, access.Locks); });
}

/// What OpenInMemory does; the list's communicator is taken where that succeeds.
std::unique_ptr<OpenMemoryFile> OpenTogether(OpenRequest request, AccessList& access)
{
  const auto begin = Clock::now();
  const std::string name = request.Name;
  const CollectiveWait::Purpose purpose("opening " + name);
  if (access.Master)
  {
    request.SetName(access.Master->Translated(name));
    request.Master = access.Master;
  }
  request.ReadsLive = request.ReadsLive && !access.Parallel();
  const bool writes = request.Write || request.Create;
  const std::string image = ImageIdentity(access, request);
  if (FileOpenHere::Exists(image))
  {
    return OpenAgain(image);
  }
  LiveDirectory directory(access.Ranks.Rank() > 0 ? "rank"
      : writes                                    ? "writer"
                                                  : "viewer",
    static_cast<std::uint64_t>(access.Ranks.Size()));
  auto opened = std::make_unique<OpenMemoryFile>();
  Decided decided;
  for (int looks = 0; !opened->File; ++looks)
  {
    decided = Decided(); // lets go of the name
    decided = DecideTogether(request, access, directory, true);
    if (!decided.OpenHere.empty())
    {
      return OpenAgain(decided.OpenHere);
    }
    // Also where it is to be changed: on disk it would be the same file, which HDF5 then refuses.
    if (const std::string known = OpenIdentity(access, decided.Route); !known.empty())
    {
      return OpenAgain(known);
    }
    if (decided.Route.Where == Route::Foreign)
    {
      access.Foreign = directory.Plain();
      return nullptr;
    }
    if (access.Parallel())
    {
      hdf5library::RequireTransferContext();
    }
    if (!decided.Refused)
    {
      OwnRanks(access, decided);
    }
    try
    {
      opened->File = MakeFile(request, decided, access, directory);
    }
    catch (const AgreedError& error)
    {
      if (decided.Route.Where == Route::Snapshot && looks < MostLooks &&
        RunOnRankZero(access.Ranks, [&] { return decided.Look.Explains(error.GetFault()); }))
      {
        continue;
      }
      const auto instead = RouteAfter(error, request, decided, access, directory);
      if (instead == Route::Foreign)
      {
        return nullptr;
      }
      if (instead)
      {
        decided.Route.Where = *instead;
        opened->File = MakeFile(request, decided, access, directory);
      }
    }
  }
  const bool isFollowed = IsFollowed(request, decided.Route);
  if (decided.Route.Where == Route::Snapshot && !isFollowed)
  {
    opened->Master = MasterOf(request, decided.Route, *opened->File);
  }
  opened->FileEnd = opened->File->InitialEnd();
  opened->Parallel = access.Parallel();
  opened->Name = name;
  opened->WhileRead = request.WhileRead;
  opened->OneForAll = decided.OneForAll;
  opened->Contact = access.Contact;
  opened->Transfer = decided.Transfer;
  // Values are those of now: each opening of them is another.
  opened->Identity = isFollowed                  ? FollowedIdentity(access, decided.Route)
    : decided.Route.Where == Route::Snapshot     ? SnapshotIdentity(access, decided.Route)
    : decided.Route.Where == Route::Interactions ? std::string()
                                                 : image;
  if (!opened->Identity.empty())
  {
    opened->Here.emplace(opened->Identity);
  }
  // HDF5 takes a null info for an error.
  opened->Keys = access.Parallel() && access.Keys.Handle() == MPI_INFO_NULL
    ? Info::Empty()
    : std::move(access.Keys);
  OwnRanks(access, decided);
  opened->Shared = std::move(access.Ranks);
  opened->RanksNumber = access.RanksNumber;
  if (opened->Parallel)
  {
    opened->File->SharedBy(opened->Shared);
  }
  opened->Listed.emplace(*opened);
  opened->File->AddTime(Seconds(Clock::now() - begin).count(), false);
  return opened;
}

}

AccessList AccessList::Read(hid_t fapl)
{
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Info info = MPI_INFO_NULL;
  const auto own = hdf5library::PeekMpi(fapl);
  if (!own && !hdf5library::GetMpi(fapl, &comm, &info))
  {
    throw Error(Fault::System, "HDF5 does not tell the communicator of a file access list");
  }
  AccessList access;
  access.Ranks = own ? Communicator::Borrow(own->Comm) : Communicator::Adopt(comm);
  access.Keys = own ? Info::Duplicate(own->Keys) : Info::Adopt(info);
  const AccessInfo ours = AccessInfo::Of(fapl);
  access.Contact = ours.Contact.data();
  access.Master = MasterFile::Find(ours.Master);
  // HDF5 opens what virtual datasets and external links name in this way.
  H5F_close_degree_t degree = H5F_CLOSE_DEFAULT;
  access.IsPart = H5Pget_fclose_degree(fapl, &degree) >= 0 && degree == H5F_CLOSE_WEAK;
  access.Locks = UsesFileLocking(fapl);
  return access;
}

std::unique_ptr<OpenMemoryFile> OpenInMemory(
  const std::string& name, unsigned flags, AccessList& access)
{
  const OpenRequest request = OpenRequest::FromFlags(name, flags);
  try
  {
    auto opened = OpenTogether(request, access);
    if (opened || !access.Foreign)
    {
      refusedappend::Forget();
    }
    else
    {
      NoteAttempt(request, {}); // HDF5's own driver is to open the file that is on disk
    }
    return opened;
  }
  catch (const AgreedError& error)
  {
    TellOfMissingPart(access, name, error);
    const auto locked = ReasonOfLock(request, access, error);
    NoteAttempt(request, error.what());
    // A program may try again and again, and an MPI library has thousands of communicators at most.
    access.Ranks.Free();
    if (locked)
    {
      throw AgreedError(Fault::Usage, *locked);
    }
    throw;
  }
}

bool MayBeInMemory(const std::string& name, std::optional<int> descriptor, const AccessList& access)
{
  return RunOnRankZero(access.Ranks,
    [&]
    {
      const auto mark = descriptor ? FileMark::Of(*descriptor) : FileMark::Of(name);
      if (!mark || mark == access.Foreign)
      {
        return false;
      }
      const auto there =
        descriptor ? PlaceholderContents::Read(*descriptor, name) : Placeholder::Read(name);
      return there || !access.Foreign || mark->Inode != access.Foreign->Inode;
    });
}

bool DeleteInMemory(const std::string& name, const AccessList& access)
{
  const std::string fileName = AbsoluteName(name);
  LiveDirectory directory("writer", static_cast<std::uint64_t>(access.Ranks.Size()));
  // A name on disk goes, whatever became of the snapshot.
  if (RunOnRankZero(access.Ranks, [&] { return DeletePlaceholder(fileName, directory); }))
  {
    return true;
  }
  OpenRequest request;
  request.SetName(name);
  const RoutingDecision decision = DecideTogether(request, access, directory, false).Route;
  if (decision.Where == Route::Foreign)
  {
    return false;
  }
  RunOnRankZero(access.Ranks,
    [&]
    {
      if (decision.Put)
      {
        std::filesystem::remove(fileName); // what the server has put there
      }
      directory.Link(decision.Contact)->Request(DeleteFile{ fileName });
    });
  return true;
}

}
