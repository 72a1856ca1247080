// SPDX-License-Identifier: BSD-3-Clause
#include "vtkDSMServer.h"

#include "Base/Error.h"
#include "Base/FileName.h"
#include "Collectives.h"
#include "Encoding/Encoding.h"
#include "FoundServer.h"
#include "HostServer.h"
#include "LaunchCommand.h"
#include "LibraryCheck.h"
#include "Server/ServerSettings.h"
#include "ServerInformation.h"

#include <fmt/format.h>

#include <vtkMultiProcessController.h>
#include <vtkObjectFactory.h>

#include <algorithm>

using dsm::Error;
using dsm::Fault;

namespace
{
dsm::SnapshotId NotNegative(vtkIdType value)
{
  return dsm::SnapshotId(static_cast<std::uint64_t>(std::max<vtkIdType>(value, 0)));
}
}

/// The hosts while they run, with their settings.
class vtkDSMServer::vtkInternals
{
public:
  std::unique_ptr<HostServer> Server;
  dsm::SettingValues Settings;        ///< as the proxy has them
  dsm::SettingValues AppliedSettings; ///< what the server was given last
  dsm::SettingValues StartedSettings; ///< those at Start, or those of what was found
  bool Watches = false;               ///< the server, which others host
  std::string LaunchCommand;
  ServerInformation Information{ this->Server, this->Settings };

  // Texts that getters have returned.
  std::string Place;
  std::string Pending;
  std::string Json;
  std::string Transport;
  std::string InForceText;
  std::string RefusedText;

  HostServer& Running() const
  {
    if (!this->Server)
    {
      throw Error(Fault::Usage, "the DSM server is not running: start it first");
    }
    return *this->Server;
  }
};

vtkStandardNewMacro(vtkDSMServer);

vtkDSMServer::vtkDSMServer()
  : Internals(std::make_unique<vtkInternals>())
{
}

vtkDSMServer::~vtkDSMServer() = default;

HostServer& vtkDSMServer::Hosts() const
{
  return this->Internals->Running();
}

bool vtkDSMServer::IsFirstRank()
{
  auto* controller = vtkMultiProcessController::GetGlobalController();
  return !controller || controller->GetLocalProcessId() == 0;
}

// Converts an exception of a command, which is thrown on all ranks alike; reports it once.
void vtkDSMServer::RunCommand(const std::function<void()>& work)
{
  this->CommandError.clear();
  try
  {
    work();
  }
  catch (const std::exception& error)
  {
    this->CommandError = error.what();
    if (vtkDSMServer::IsFirstRank())
    {
      vtkErrorMacro(<< error.what());
    }
  }
  this->Internals->Information.Outdate();
}

void vtkDSMServer::SetTextSetting(const char* name, const char* value)
{
  this->Internals->Settings.Set(name, value ? value : "");
}

void vtkDSMServer::SetIntegerSetting(const char* name, vtkIdType value)
{
  this->Internals->Settings.Set(name, std::to_string(value));
}

void vtkDSMServer::SetRealSetting(const char* name, double value)
{
  this->Internals->Settings.Set(name, fmt::format("{}", value));
}

void vtkDSMServer::StartServer()
{
  dsm::readers::RequireLibraries();
  auto& internals = *this->Internals;
  if (internals.Server)
  {
    throw Error(Fault::Usage, "the DSM server is already running, with the contact file {}",
      internals.Server->ContactPath());
  }
  internals.Watches = this->Watching != 0;
  internals.Server = internals.Watches
    ? std::make_unique<HostServer>(dsm::readers::AllRanks(), internals.Settings.Get("ContactFile"))
    : std::make_unique<HostServer>(dsm::readers::AllRanks(), internals.Settings);
  internals.LaunchCommand = LaunchCommand(internals.Server->ContactPath());
  internals.Information.Refresh();
  if (internals.Server->FoundRunning())
  {
    internals.Settings.Adopt(internals.Information.Status(false).Options);
  }
  internals.AppliedSettings = internals.Settings;
  internals.StartedSettings = internals.Settings;
}

void vtkDSMServer::StopServer()
{
  if (const auto server = std::move(this->Internals->Server))
  {
    server->Stop();
  }
  this->Internals->LaunchCommand.clear();
  this->Internals->Information.Refresh();
}

void vtkDSMServer::Start()
{
  this->RunCommand([this] { this->StartServer(); });
}

void vtkDSMServer::Stop()
{
  this->RunCommand([this] { this->StopServer(); });
}

void vtkDSMServer::FindServer()
{
  this->RunCommand(
    [this]
    {
      this->FoundServer.clear();
      if (!this->Internals->Server && vtkDSMServer::IsFirstRank())
      {
        auto found = ::FoundServer::Look(this->Internals->Settings.Get("ContactFile"));
        this->FoundServer = found ? dsm::ToText(*found) : std::string();
      }
    });
}

void vtkDSMServer::StopFoundServer()
{
  this->RunCommand(
    [this]
    {
      this->FoundServer.clear();
      if (vtkDSMServer::IsFirstRank())
      {
        ::FoundServer::Stop(this->Internals->Settings.Get("ContactFile"));
      }
    });
}

void vtkDSMServer::Leave()
{
  this->RunCommand(
    [this]
    {
      auto& internals = *this->Internals;
      auto& server = internals.Running();
      if (!internals.Watches && !internals.StartedSettings.IsOn("Separate"))
      {
        throw Error(Fault::Usage,
          "this program's own ranks hold the memory, which ends with Stop: only hosts that are "
          "processes of their own (Separate, at Start) go on without it");
      }
      server.Leave();
      internals.Server.reset();
      internals.LaunchCommand.clear();
      internals.Information.Refresh();
    });
}

void vtkDSMServer::SetActive(int active)
{
  this->ActiveChanged = this->ActiveChanged || active != this->Active;
  this->Active = active;
}

void vtkDSMServer::ApplySettings()
{
  auto& internals = *this->Internals;
  if (this->ActiveChanged)
  {
    this->ActiveChanged = false;
    if ((this->Active != 0) != (internals.Server != nullptr))
    {
      this->RunCommand([this] { this->Active ? this->StartServer() : this->StopServer(); });
      // If it failed, the next attempt is a change again.
      this->Active = internals.Server ? 1 : 0;
    }
    return;
  }
  if (internals.Server && internals.Settings != internals.AppliedSettings)
  {
    // Also if it fails: an error is reported once, not again with the next setting.
    internals.AppliedSettings = internals.Settings;
    this->RunCommand([&] { internals.Server->Change(internals.Settings); });
  }
}

void vtkDSMServer::Refresh()
{
  this->StatusSince = 0;
  this->RunCommand([this] { this->Internals->Information.Refresh(); });
}

void vtkDSMServer::WaitForSnapshot()
{
  this->FoundNumber = 0;
  this->FoundSnapshot.clear();
  this->Finished = 0;
  this->Waited = 0;
  this->RunCommand(
    [this]
    {
      const auto found = this->Internals->Running().WaitForSnapshot(
        NotNegative(this->WaitAfter), this->WaitNext != 0, this->WaitSeconds);
      if (found.Snapshot)
      {
        this->FoundNumber = static_cast<vtkIdType>(found.Snapshot->Number);
        this->FoundSnapshot = dsm::ToText(found);
      }
      this->Finished = found.Finished ? 1 : 0;
      this->Waited = found.Waited;
    });
}

void vtkDSMServer::Release()
{
  this->RunCommand([this] { this->Internals->Running().Release(NotNegative(this->Number)); });
}

void vtkDSMServer::SaveSnapshot()
{
  this->RunCommand(
    [this] { this->Internals->Running().SaveSnapshot(NotNegative(this->Number), this->SavePath); });
}

void vtkDSMServer::Drop()
{
  this->RunCommand([this] { this->Internals->Running().Drop(NotNegative(this->Number)); });
}

void vtkDSMServer::Restore()
{
  this->RunCommand(
    [this] { this->Internals->Running().Restore(this->RestorePath, this->RestoreName); });
}

void vtkDSMServer::TakeNoMore()
{
  this->RunCommand([this] { this->Internals->Running().TakeFiles(false); });
}

void vtkDSMServer::TakeAgain()
{
  this->RunCommand([this] { this->Internals->Running().TakeFiles(true); });
}

void vtkDSMServer::Pin()
{
  this->RunCommand([this] { this->Internals->Running().Pin(NotNegative(this->Number), true); });
}

void vtkDSMServer::Unpin()
{
  this->RunCommand([this] { this->Internals->Running().Pin(NotNegative(this->Number), false); });
}

void vtkDSMServer::Steer()
{
  this->SteerReply.clear();
  this->RunCommand(
    [this] { this->SteerReply = this->Internals->Running().Steer(this->SteerRequest); });
}

// The panel asks for it several times a second, on the first rank alone. An error is not reported
// here: a command would report the same.
const char* vtkDSMServer::GetSteeringStatus()
{
  this->SteeringStatus.clear();
  const auto& server = this->Internals->Server;
  if (this->Live && this->SteeringHistory > 0 && server)
  {
    try
    {
      this->SteeringStatus =
        server->PeekSteering("{\"do\": \"status\", \"outcomes\": 50, \"history\": " +
          std::to_string(this->SteeringHistory) + "}");
    }
    catch (const std::exception& error)
    {
      vtkDebugMacro(<< error.what());
    }
  }
  return this->SteeringStatus.c_str();
}

// An error is not reported here: the status has it.
vtkIdType vtkDSMServer::GetAnnouncements()
{
  try
  {
    const auto& server = this->Internals->Server;
    const auto count = server ? server->PeekAnnouncements() : std::nullopt;
    return count ? static_cast<vtkIdType>(*count) : -1;
  }
  catch (const std::exception& error)
  {
    vtkDebugMacro(<< error.what());
    return -1;
  }
}

const char* vtkDSMServer::GetContactPlace()
{
  auto& place = this->Internals->Place;
  const std::string file = this->Internals->Settings.Get("ContactFile");
  place = file.empty() ? std::string() : dsm::AbsoluteName(file);
  return place.c_str();
}

const char* vtkDSMServer::GetContactPath()
{
  const auto& server = this->Internals->Server;
  return server ? server->ContactPath().c_str() : "";
}

int vtkDSMServer::GetFoundRunning()
{
  const auto& server = this->Internals->Server;
  return server && server->FoundRunning() ? 1 : 0;
}

int vtkDSMServer::GetSeparateHosts()
{
  return this->Internals->Server && !this->Internals->Watches &&
      this->Internals->StartedSettings.IsOn("Separate")
    ? 1
    : 0;
}

int vtkDSMServer::GetWatched()
{
  return this->Internals->Server && this->Internals->Watches ? 1 : 0;
}

const char* vtkDSMServer::GetLaunchCommand()
{
  return this->Internals->LaunchCommand.c_str();
}

int vtkDSMServer::GetNumberOfHosts()
{
  return this->Internals->Server ? this->Internals->Server->NumberOfHosts() : 0;
}

vtkIdType vtkDSMServer::GetMemoryRoom()
{
  return this->Internals->Server ? static_cast<vtkIdType>(this->Internals->Server->Room()) : 0;
}

const char* vtkDSMServer::GetPendingChanges()
{
  auto& internals = *this->Internals;
  // The settings of a watched server belong to the program that started it.
  internals.Pending = internals.Watches
    ? std::string()
    : internals.Information.PendingChanges(this->Live, internals.StartedSettings);
  return internals.Pending.c_str();
}

const char* vtkDSMServer::GetServerStatus()
{
  auto& internals = *this->Internals;
  internals.Json = internals.Information.Json(
    this->Live, static_cast<std::uint64_t>(std::max<vtkIdType>(this->StatusSince, 0)));
  return internals.Json.c_str();
}

double vtkDSMServer::GetThroughput()
{
  const auto& all = this->Internals->Information.Status(this->Live).Snapshots;
  if (all.empty() || all.back().Statistics.WriteSeconds <= 0)
  {
    return 0;
  }
  const auto& newest = all.back().Statistics;
  return static_cast<double>(newest.Bytes) / newest.WriteSeconds;
}

const char* vtkDSMServer::GetState()
{
  return dsm::ServerStateName(this->Internals->Information.Status(this->Live).State);
}

const char* vtkDSMServer::GetRefusedSettings()
{
  auto& internals = *this->Internals;
  auto refused = internals.Settings.Refused();
  internals.RefusedText = dsm::TextOfFields(
    [&](dsm::Fields& fields)
    {
      for (auto& [name, reason] : refused)
      {
        fields(name.c_str(), reason);
      }
    },
    -1);
  return internals.RefusedText.c_str();
}

const char* vtkDSMServer::GetSettingsInForce()
{
  auto& internals = *this->Internals;
  const auto* options = internals.Information.InForce(this->Live);
  internals.InForceText = options ? dsm::SettingsInForce(*options) : "{}";
  return internals.InForceText.c_str();
}

const char* vtkDSMServer::GetEffectiveTransport()
{
  auto& internals = *this->Internals;
  const auto* options = internals.Information.InForce(this->Live);
  internals.Transport = options ? options->Transport.ToText() : std::string();
  return internals.Transport.c_str();
}

const char* vtkDSMServer::GetEffectiveStrategy()
{
  const auto* options = this->Internals->Information.InForce(this->Live);
  return options ? options->Map.Strategy.c_str() : "";
}

// Members of the status and of the options in force, and texts.
#define dsmGetStatusMacro(Type, Name)                                                              \
  Type vtkDSMServer::Get##Name()                                                                   \
  {                                                                                                \
    return static_cast<Type>(this->Internals->Information.Status(this->Live).Name);                \
  }
#define dsmGetInForceMacro(Type, Name, Member)                                                     \
  Type vtkDSMServer::GetEffective##Name()                                                          \
  {                                                                                                \
    const auto* options = this->Internals->Information.InForce(this->Live);                        \
    return options ? static_cast<Type>(options->Member) : 0;                                       \
  }
#define dsmGetTextMacro(Name, Member)                                                              \
  const char* vtkDSMServer::Get##Name()                                                            \
  {                                                                                                \
    return this->Internals->Information.Member.c_str();                                            \
  }

dsmGetTextMacro(LastError, Status(this->Live).LastError);
dsmGetTextMacro(Writers, Writers(this->Live));
dsmGetStatusMacro(vtkIdType, WritersSeen);
dsmGetStatusMacro(vtkIdType, SnapshotsSealed);
dsmGetStatusMacro(vtkIdType, SnapshotsDropped);
dsmGetStatusMacro(vtkIdType, SnapshotsSkipped);
dsmGetStatusMacro(vtkIdType, ImagesAbandoned);
dsmGetStatusMacro(vtkIdType, MemoryUsed);
dsmGetStatusMacro(vtkIdType, MemoryBudget);
dsmGetStatusMacro(vtkIdType, BytesReceived);
dsmGetStatusMacro(double, BlockedSeconds);
dsmGetStatusMacro(double, WaitingSeconds);
dsmGetInForceMacro(vtkIdType, BlockSize, Map.BlockSize);
dsmGetInForceMacro(vtkIdType, MemoryPerHost, MemoryPerHost);
dsmGetInForceMacro(int, MaximumSnapshots, MaximumSnapshots);
dsmGetInForceMacro(int, WhenFull, WhenFull);
dsmGetInForceMacro(double, LongestWait, FullRingLimit.count());

void vtkDSMServer::PrintSelf(ostream& os, vtkIndent indent)
{
  this->Superclass::PrintSelf(os, indent);
  os << indent << "ContactFile: " << this->Internals->Settings.Get("ContactFile") << "\n";
  os << indent << "Active: " << this->Active << "\n";
  os << indent << "State: " << this->GetState() << "\n";
  os << indent << "CommandError: " << this->CommandError << "\n";
}
