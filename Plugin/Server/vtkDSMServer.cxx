// SPDX-License-Identifier: BSD-3-Clause
#include "vtkDSMServer.h"

#include "Base/Error.h"
#include "Base/FileName.h"
#include "Encoding/Encoding.h"
#include "HostServer.h"
#include "LibraryCheck.h"
#include "Server/ServerSettings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vtkMPI.h>
#include <vtkMPICommunicator.h>
#include <vtkMultiProcessController.h>
#include <vtkObjectFactory.h>
#include <vtksys/SystemTools.hxx>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>

using dsm::Error;
using dsm::Fault;

namespace
{
// All ranks of this ParaView server, or this process alone if there is no MPI.
MPI_Comm HostRanks()
{
  auto* controller = vtkMultiProcessController::GetGlobalController();
  auto* communicator =
    controller ? vtkMPICommunicator::SafeDownCast(controller->GetCommunicator()) : nullptr;
  if (!communicator || !dsm::MpiIsAlive())
  {
    return MPI_COMM_NULL;
  }
  return *communicator->GetMPIComm()->GetHandle();
}

std::uint64_t NotNegative(vtkIdType value)
{
  return static_cast<std::uint64_t>(std::max<vtkIdType>(value, 0));
}

// A word of a shell's command line, quoted if that is needed.
std::string Quoted(const std::string& word)
{
  if (word.find_first_of(" \t'\"\\$`&|;<>()*?[]#~!{}") == std::string::npos)
  {
    return word;
  }
  std::string quoted = "'";
  for (const char c : word)
  {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

// The user's usual command behind dsm-run. With the path of the dsm-run that belongs to this
// plugin, built or installed, so that it need not be in PATH. Where that runs only in a root that
// `./dev` makes, by way of it (DSM_SHELL): also for a terminal outside.
std::string LaunchCommand(const std::string& contact)
{
  const char* shell = std::getenv("DSM_SHELL");
  return (shell && *shell ? std::string(shell) + " " : std::string()) +
    Quoted(HostServer::Program("dsm-run")) + " --contact " + Quoted(contact) +
    " mpiexec -n 4 ./my_simulation";
}

// "gray_scott (4 ranks on node7, Open MPI 5.0.7)"
std::string TextOf(const dsm::ConnectedWriter& writer)
{
  return fmt::format("{} ({} {} on {}{}{})", writer.Program, writer.Ranks,
    writer.Ranks == 1 ? "rank" : "ranks", writer.Node, writer.Mpi.empty() ? "" : ", ", writer.Mpi);
}
}

/// The hosts while they run, and their last status.
class vtkDSMServer::vtkInternals
{
public:
  std::unique_ptr<HostServer> Server;
  dsm::SettingValues Settings;        ///< as the proxy has them
  dsm::SettingValues AppliedSettings; ///< what the server was given last
  dsm::SettingValues StartedSettings; ///< those at Start, or those of what was found
  std::string LaunchCommand;

  // The last status, and what information properties need besides.
  HostServer::Status Status;
  std::string Place;
  std::string Writers;
  std::string Pending;
  std::string Text;
  std::string Transport;
  std::string InForceText;

  HostServer& Running() const
  {
    if (!this->Server)
    {
      throw Error(Fault::Usage, "the DSM server is not running: start it first");
    }
    return *this->Server;
  }

  void SetStatus(HostServer::Status status);

  /// Collective: asks for the status on all ranks.
  void Refresh()
  {
    this->SetStatus(this->Server ? this->Server->GetStatus() : HostServer::Status());
  }

  /// With `live`, asks for the status on this rank alone. ParaView calls the getters one by one,
  /// and those of one request get the same status.
  const HostServer::Status& CurrentStatus(int live);

  /// The options that are in force, or would be after Start; null if Start would refuse them.
  const dsm::ServerOptions* InForce(int live);

  /// The status as JSON, for ParaView's panel and for scripts.
  std::string StatusText(int live);

private:
  std::chrono::steady_clock::time_point StatusTime;
  dsm::SettingValues PreviewSettings;
  std::optional<dsm::ServerOptions> Preview;
  bool HasPreview = false;
};

vtkStandardNewMacro(vtkDSMServer);

vtkDSMServer::vtkDSMServer()
  : Internals(std::make_unique<vtkInternals>())
{
}

vtkDSMServer::~vtkDSMServer() = default;

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
    auto* controller = vtkMultiProcessController::GetGlobalController();
    if (!controller || controller->GetLocalProcessId() == 0)
    {
      vtkErrorMacro(<< error.what());
    }
  }
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
  internals.Server = std::make_unique<HostServer>(HostRanks(), internals.Settings);
  internals.LaunchCommand = LaunchCommand(internals.Server->ContactPath());
  internals.Refresh();
  if (internals.Server->FoundRunning())
  {
    internals.Settings.Adopt(internals.Status.Options);
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
  this->Internals->Refresh();
}

void vtkDSMServer::Start()
{
  this->RunCommand([this] { this->StartServer(); });
}

void vtkDSMServer::Stop()
{
  this->RunCommand([this] { this->StopServer(); });
}

void vtkDSMServer::Leave()
{
  this->RunCommand(
    [this]
    {
      auto& internals = *this->Internals;
      auto& server = internals.Running();
      if (!internals.StartedSettings.IsOn("Separate"))
      {
        throw Error(Fault::Usage,
          "this program's own ranks hold the memory, which ends with Stop: only hosts that are "
          "processes of their own (Separate, at Start) go on without it");
      }
      server.Leave();
      internals.Server.reset();
      internals.LaunchCommand.clear();
      internals.Refresh();
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
  this->RunCommand([this] { this->Internals->Refresh(); });
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

void vtkDSMServer::vtkInternals::SetStatus(HostServer::Status status)
{
  this->Status = std::move(status);
  this->Writers.clear();
  for (const auto& writer : this->Status.Writers)
  {
    this->Writers += (this->Writers.empty() ? "" : ", ") + TextOf(writer);
  }
}

const HostServer::Status& vtkDSMServer::vtkInternals::CurrentStatus(int live)
{
  const auto now = std::chrono::steady_clock::now();
  if (live && this->Server && now - this->StatusTime > std::chrono::milliseconds(20))
  {
    this->StatusTime = now;
    this->SetStatus(this->Server->PeekStatus());
  }
  return this->Status;
}

const dsm::ServerOptions* vtkDSMServer::vtkInternals::InForce(int live)
{
  if (this->Server)
  {
    return &this->CurrentStatus(live).Options;
  }
  // The file of defaults is read once for the same settings, not for each request.
  if (!this->HasPreview || this->Settings != this->PreviewSettings)
  {
    this->HasPreview = true;
    this->PreviewSettings = this->Settings;
    try
    {
      this->Preview = this->Settings.Options();
    }
    catch (const std::exception&)
    {
      this->Preview.reset(); // Start reports what is wrong
    }
  }
  return this->Preview ? &*this->Preview : nullptr;
}

std::string vtkDSMServer::vtkInternals::StatusText(int live)
{
  auto status = this->CurrentStatus(live);
  // Of many hosts these are most of the text, and who asks wants those of the newest.
  for (std::size_t i = 0; i + 1 < status.Snapshots.size(); ++i)
  {
    status.Snapshots[i].Statistics.HostBytes.clear();
  }
  return dsm::ToText(status);
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
  return this->Internals->Server && this->Internals->StartedSettings.IsOn("Separate") ? 1 : 0;
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
  const auto& pending = internals.CurrentStatus(this->Live).Pending;
  internals.Pending.clear();
  if (!pending.empty())
  {
    internals.Pending = fmt::format("{}: from the next file on", fmt::join(pending, ", "));
  }
  for (const dsm::Setting& setting : dsm::ServerSettings())
  {
    if (internals.Server && setting.Effect == dsm::SettingEffect::NextStart &&
      internals.Settings.Get(setting.Name) != internals.StartedSettings.Get(setting.Name))
    {
      internals.Pending += fmt::format("{}{}: at the next start",
        internals.Pending.empty() ? "" : "; ", vtksys::SystemTools::LowerCase(setting.Label));
    }
  }
  return internals.Pending.c_str();
}

const char* vtkDSMServer::GetServerStatus()
{
  auto& internals = *this->Internals;
  internals.Text = internals.StatusText(this->Live);
  return internals.Text.c_str();
}

double vtkDSMServer::GetThroughput()
{
  const auto& all = this->Internals->CurrentStatus(this->Live).Snapshots;
  if (all.empty() || all.back().Statistics.WriteSeconds <= 0)
  {
    return 0;
  }
  const auto& newest = all.back().Statistics;
  return static_cast<double>(newest.Bytes) / newest.WriteSeconds;
}

const char* vtkDSMServer::GetState()
{
  return dsm::ServerStateName(this->Internals->CurrentStatus(this->Live).State);
}

const char* vtkDSMServer::GetSettingsInForce()
{
  auto& internals = *this->Internals;
  const auto* options = internals.InForce(this->Live);
  internals.InForceText = options ? dsm::SettingsInForce(*options) : "{}";
  return internals.InForceText.c_str();
}

const char* vtkDSMServer::GetEffectiveTransport()
{
  auto& internals = *this->Internals;
  const auto* options = internals.InForce(this->Live);
  internals.Transport = options ? options->Transport.ToText() : std::string();
  return internals.Transport.c_str();
}

const char* vtkDSMServer::GetEffectiveStrategy()
{
  const auto* options = this->Internals->InForce(this->Live);
  return options ? options->Map.Strategy.c_str() : "";
}

// Members of the status and of the options in force, and texts.
#define dsmGetStatusMacro(Type, Name)                                                              \
  Type vtkDSMServer::Get##Name()                                                                   \
  {                                                                                                \
    return static_cast<Type>(this->Internals->CurrentStatus(this->Live).Name);                     \
  }
#define dsmGetInForceMacro(Type, Name, Member)                                                     \
  Type vtkDSMServer::GetEffective##Name()                                                          \
  {                                                                                                \
    const auto* options = this->Internals->InForce(this->Live);                                    \
    return options ? static_cast<Type>(options->Member) : 0;                                       \
  }
#define dsmGetTextMacro(Name, Member)                                                              \
  const char* vtkDSMServer::Get##Name()                                                            \
  {                                                                                                \
    this->Internals->CurrentStatus(this->Live);                                                    \
    return this->Internals->Member.c_str();                                                        \
  }

dsmGetTextMacro(LastError, Status.LastError);
dsmGetTextMacro(Writers, Writers);
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
