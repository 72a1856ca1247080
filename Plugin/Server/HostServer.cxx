// SPDX-License-Identifier: BSD-3-Clause
#include "HostServer.h"

#include "Archive/DiskWriter.h"
#include "Archive/SnapshotWriter.h"
#include "Archive/WriteBehind.h"
#include "ArrayFile.h"
#include "Attach/HostProcesses.h"
#include "Attach/LocalServer.h"
#include "Attach/RemoteServer.h"
#include "Base/Deadline.h"
#include "Base/Error.h"
#include "Base/NodeIdentity.h"
#include "Base/Timeouts.h"
#include "CrashRecord.h"
#include "Driver/H5FDdsm.h"
#include "Mpi/Agreement.h"
#include "Peer/Connection.h"
#include "Peer/SnapshotView.h"
#include "Peer/StoreFile.h"
#include "Protocol/Peer.h"
#include "Server/Core/ServerMessages.h"
#include "Transport/TransportKind.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <dlfcn.h>

using dsm::Error;
using dsm::Fault;

namespace
{
// Several servers may run in one process: the driver stays the default until the last has stopped.
int RunningServers = 0;

void UseDriver()
{
  if (H5FD_dsm_set_default() < 0)
  {
    throw Error(Fault::System,
      "HDF5 refuses the DSM's driver: ParaView and the plugin may use two different HDF5 "
      "libraries");
  }
  ++RunningServers;
}

void LeaveDriver()
{
  if (--RunningServers == 0)
  {
    H5FD_dsm_unset_default();
  }
}

// How long hosts of their own stay when neither a simulation nor a viewer is connected.
constexpr dsm::Seconds Linger(600);
// Until they lend memory; a busy machine takes long to start an MPI job.
constexpr dsm::Seconds StartLimit(60);

// ParaView calls MPI when it has something to do, and waits in its own way otherwise: on a socket,
// in a window, for the first rank's next command. Nobody there could call Server::Pump, and a
// simulation would stop in the middle of its first file.
void RequireThreads(const dsm::TransportChoice& choice)
{
  if (const std::string why = dsm::NeedsPump(choice); !why.empty())
  {
    throw Error(Fault::Unsupported,
      "the transport \"{}\" moves no bytes while ParaView waits: {} before ParaView starts, or "
      "start it with dsm-paraview (mpiexec -n 2 dsm-paraview pvserver), which does that; or choose "
      "the transport fabric, which needs no MPI",
      choice.ToText(), why);
  }
}
}

void Describe(dsm::Fields& fields, HostServer::Status& status)
{
  Describe(fields, static_cast<dsm::ServerStatus&>(status));
  fields("Pinned", status.Pinned);
  fields("Crashes", status.Crashes);
  fields("Restored", status.Restored);
}

void Describe(dsm::Fields& fields, HostServer::Found& found)
{
  fields("Snapshot", found.Snapshot);
  fields("Counts", found.Counts);
  fields("Finished", found.Finished);
  fields("Waited", found.Waited);
}

void Describe(dsm::Fields& fields, HostServer::Array& array)
{
  fields("Element", array.Shape.Element);
  fields("Sizes", array.Shape.Sizes);
  fields("Sent", array.Sent);
}

HostServer::HostServer(MPI_Comm ranks, const dsm::SettingValues& settings)
  : Ranks(dsm::Communicator::Duplicate(ranks))
{
  dsm::ServerOptions options;
  const bool isSeparate = settings.IsOn("Separate");
  dsm::Agree(this->Group,
    [&]
    {
      options = settings.Options();
      if (!isSeparate)
      {
        RequireThreads(options.Transport);
      }
    });
  if (isSeparate)
  {
    this->Self = this->StartSeparate(options);
  }
  else
  {
    auto server = std::make_unique<dsm::LocalServer>(this->Ranks, options);
    this->Own = server.get();
    this->Saver = std::make_unique<dsm::DiskWriter>(*server);
    this->Behind = std::make_unique<dsm::WriteBehind>(*server);
    this->Self = std::move(server);
  }
  this->Begin();
}

HostServer::HostServer(MPI_Comm ranks, const std::string& contactFile)
  : Ranks(dsm::Communicator::Duplicate(ranks))
  , Self(std::make_unique<dsm::RemoteServer>(this->Ranks, contactFile,
      dsm::RemoteServer::Role::Watcher, dsm::Deadline(dsm::RequestTimeout())))
{
  this->Begin();
}

void HostServer::Begin()
{
  if (this->Ranks.Rank() == 0)
  {
    this->Restoring = std::make_unique<dsm::Restorer>(this->Self->ContactPath());
  }
  UseDriver();
}

std::unique_ptr<dsm::ServerAccess> HostServer::StartSeparate(const dsm::ServerOptions& options)
{
  const auto attach = [&]
  {
    return std::make_unique<dsm::RemoteServer>(this->Ranks, options.ContactFile,
      dsm::RemoteServer::Role::Caretaker, dsm::Deadline(dsm::RequestTimeout()));
  };
  try
  {
    auto server = attach();
    this->Running = true;
    return server;
  }
  catch (const Error& error)
  {
    // None, or those of a server that has ended without removing its contact file.
    if (error.GetFault() != Fault::NoServer && error.GetFault() != Fault::PeerLost)
    {
      throw;
    }
  }
  const auto nodes = this->Group.AllGatherText(dsm::MachineName());
  dsm::RunOnRankZero(this->Group,
    [&]
    {
      dsm::HostProcesses(Program("dsm-serve"), nodes)
        .Start(options, Linger, dsm::Deadline(StartLimit));
    });
  return attach();
}

// By the plugin's own place.
std::string HostServer::Program(const std::string& name)
{
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&UseDriver), &here) && here.dli_fname)
  {
    std::error_code error;
    const auto plugin = std::filesystem::weakly_canonical(here.dli_fname, error);
    for (auto folder = plugin.parent_path(); folder.has_relative_path();
      folder = folder.parent_path())
    {
      if (std::filesystem::exists(folder / "bin" / name, error))
      {
        return (folder / "bin" / name).string();
      }
    }
  }
  return name;
}

int HostServer::NumberOfHosts() const
{
  return static_cast<int>(this->Self->NumberOfHosts());
}

HostServer::~HostServer()
{
  if (this->Self)
  {
    LeaveDriver();
  }
}

// Whatever happens to it then, it is no longer ours.
std::unique_ptr<dsm::ServerAccess> HostServer::LetGo()
{
  // Ranks that run a script side by side may still be reading.
  this->Group.Barrier();
  LeaveDriver();
  this->Pinned.clear();
  this->Restoring.reset();
  this->Behind.reset(); // when all that is to be on disk is there
  this->Saver.reset();
  this->Own = nullptr;
  return std::move(this->Self);
}

void HostServer::Stop()
{
  if (this->Self)
  {
    this->LetGo()->Stop();
    this->Ranks.Free();
  }
}

void HostServer::Leave()
{
  if (this->Self)
  {
    this->LetGo().reset();
    this->Ranks.Free();
  }
}

const std::string& HostServer::ContactPath() const
{
  return this->Self->ContactPath();
}

HostServer::Status HostServer::StatusNow() const
{
  Status status{ this->Self->Status(), {}, {}, {} };
  status.Restored = this->Restoring ? this->Restoring->Last() : std::nullopt;
  for (const auto& snapshot : this->Pinned)
  {
    status.Pinned.push_back(snapshot.first);
  }
  for (const auto& crash : dsm::readers::crashes::Of(this->Self->ContactPath()))
  {
    for (const auto& snapshot : status.Snapshots)
    {
      const auto& parts = snapshot.Parts;
      if (snapshot.Number == crash.Snapshot ||
        std::find(parts.begin(), parts.end(), crash.Snapshot) != parts.end())
      {
        status.Crashes.push_back(
          dsm::readers::crashes::Text(crash, snapshot.FileName, this->Self->ContactPath()));
      }
    }
  }
  return status;
}

HostServer::Status HostServer::GetStatus() const
{
  return dsm::RunOnRankZero(this->Group, [this] { return this->StatusNow(); });
}

HostServer::Status HostServer::PeekStatus() const
{
  return this->StatusNow();
}

std::optional<std::uint64_t> HostServer::PeekAnnouncements() const
{
  return this->Ranks.Rank() == 0 ? this->Self->GetConnection()->AnnouncementCount() : std::nullopt;
}

HostServer::Found HostServer::WaitForSnapshot(
  dsm::SnapshotId after, bool next, double seconds) const
{
  return dsm::RunOnRankZero(this->Group,
    [&]
    {
      Found mine;
      const auto began = dsm::Clock::now();
      mine.Snapshot =
        this->Self->WaitForSnapshot(after, next, dsm::Deadline(dsm::Seconds(seconds)));
      if (mine.Snapshot)
      {
        mine.Counts = this->Self->CountedAtWait();
      }
      else
      {
        // A simulation may have come or written between the two calls: then it goes on.
        const dsm::ServerStatus status = this->Self->Status();
        mine.Finished = status.WritersSeen > 0 && status.Writers.empty() &&
          status.State != dsm::ServerState::Receiving && status.NewestSnapshot() <= after;
      }
      mine.Waited = dsm::Seconds(dsm::Clock::now() - began).count();
      return mine;
    });
}

void HostServer::Release(dsm::SnapshotId number) const
{
  // Ranks that run a script side by side may still be reading it. Only rank 0 lets go.
  this->Group.Barrier();
  this->Self->Release(number);
}

void HostServer::SaveSnapshot(dsm::SnapshotId number, const std::string& path) const
{
  dsm::RunOnRankZero(this->Group,
    [&]
    {
      const dsm::SnapshotView view(this->Self->GetConnection(), number);
      dsm::SnapshotWriter(this->Own).Save(this->Self->GetConnection(), view.Description(), path);
    });
}

void HostServer::Drop(dsm::SnapshotId number)
{
  dsm::RunOnRankZero(this->Group,
    [&]
    {
      this->Pinned.erase(number);
      this->Self->GetConnection()->Request(dsm::DropSnapshot{ number });
    });
}

void HostServer::Restore(const std::string& path, const std::string& name) const
{
  dsm::RunOnRankZero(this->Group, [&] { this->Restoring->Begin(path, name); });
}

void HostServer::TakeFiles(bool take) const
{
  if (this->Own)
  {
    take ? this->Own->TakeAgain() : this->Own->TakeNoMore();
  }
}

void HostServer::Change(const dsm::SettingValues& settings) const
{
  dsm::ServerOptions options;
  dsm::Agree(this->Group, [&] { options = settings.Options(); });
  this->Self->Adjust(options);
}

std::uint64_t HostServer::Room() const
{
  return this->Self->MaximumMemory();
}

void HostServer::Pin(dsm::SnapshotId number, bool pinned)
{
  dsm::RunOnRankZero(this->Group,
    [&]
    {
      if (!pinned)
      {
        this->Pinned.erase(number);
      }
      else if (!this->Pinned.contains(number))
      {
        this->Pinned.emplace(
          number, std::make_unique<dsm::SnapshotView>(this->Self->GetConnection(), number));
      }
    });
}

namespace
{
// Who steers, for the log: the user who runs ParaView's server.
std::string Author()
{
  return dsm::UserAtHost() + " (ParaView)";
}

std::string Answer(dsm::ServerAccess& server, const std::string& request)
{
  return dsm::SteeringAnswerText(server.Steer(dsm::SteeringRequestFromText(request), Author()));
}
}

std::string HostServer::Steer(const std::string& request) const
{
  return dsm::RunOnRankZero(this->Group, [&] { return Answer(*this->Self, request); });
}

std::string HostServer::PeekSteering(const std::string& request) const
{
  return this->Ranks.Rank() == 0 ? Answer(*this->Self, request) : std::string();
}

HostServer::Array HostServer::FindArray(
  const std::string& program, const std::string& parameter) const
{
  return dsm::RunOnRankZero(this->Group,
    [&]
    {
      const auto answer = this->Self->Steer(dsm::StatusRequest{ program, 0, 0 }, Author());
      const auto& programs = std::get<dsm::SteeringStatus>(answer).Programs;
      const auto* declared =
        programs.empty() ? nullptr : programs.front().Offered.FindParameter(parameter);
      if (!declared || declared->Type != dsm::ValueType::Array)
      {
        throw Error(Fault::Refused, "no simulation has an array called \"{}\"", parameter);
      }
      const auto value = programs.front().Values.find(parameter);
      const auto* sent =
        value != programs.front().Values.end() ? std::get_if<std::string>(&value->second) : nullptr;
      return Array{ declared->Array, sent ? *sent : std::string() };
    });
}

dsm::SentArray HostServer::StoreArray(
  const std::string& parameter, const dsm::ArrayShape& shape, const void* elements) const
{
  return dsm::SentArray::FromText(dsm::RunOnRankZero(this->Group,
    [&]
    {
      const ArrayFile file = ArrayFile::Make(parameter, shape, elements);
      const dsm::FilePiece all{ 0, file.Bytes.data(), file.Bytes.size() };
      dsm::SentArray sent{ shape, file.Hash, 0, file.Elements };
      sent.Snapshot = dsm::StoreFile(this->Self->GetConnection(),
        dsm::SentArrayFile(this->ContactPath(), parameter), { &all, 1 }, all.Size);
      return sent.Text();
    }));
}

std::vector<std::byte> HostServer::ReadArray(const dsm::SentArray& sent) const
{
  std::vector<std::byte> elements(sent.Shape.Bytes());
  dsm::SnapshotView(this->Self->GetConnection(), sent.Snapshot)
    .Read(sent.Elements, elements.data(), elements.size());
  return elements;
}
