// SPDX-License-Identifier: BSD-3-Clause
#include "vtkDSMServer.h"

#include "Base/Error.h"
#include "HostServer.h"
#include "LibraryCheck.h"

#include <vtkDoubleArray.h>
#include <vtkIdTypeArray.h>
#include <vtkMPI.h>
#include <vtkMPICommunicator.h>
#include <vtkMultiProcessController.h>
#include <vtkNew.h>
#include <vtkObjectFactory.h>
#include <vtkStringArray.h>

#include <algorithm>
#include <chrono>
#include <dlfcn.h>
#include <filesystem>

using dsm::Error;
using dsm::Fault;

namespace
{
// The ranks that host: all of this ParaView server, or this process alone where there is no MPI.
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

// What a user types before the usual command. Where dsm-run lies beside this plugin, as built and
// as installed, it is named with its folder: nobody need have it in the PATH.
std::string LaunchCommand(const std::string& contact)
{
  std::string program = "dsm-run";
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&vtkDSMServer::New), &here) && here.dli_fname)
  {
    std::error_code error;
    const auto plugin = std::filesystem::weakly_canonical(here.dli_fname, error);
    for (auto folder = plugin.parent_path(); folder.has_relative_path();
      folder = folder.parent_path())
    {
      if (std::filesystem::exists(folder / "bin" / program, error))
      {
        program = (folder / "bin" / program).string();
        break;
      }
    }
  }
  return program + " --contact " + contact + " mpiexec -n 4 ./my_simulation";
}
}

class vtkDSMServer::vtkInternals
{
public:
  std::unique_ptr<HostServer> Server;
  HostServer::Status Status;

  vtkNew<vtkIdTypeArray> Numbers;
  vtkNew<vtkStringArray> Files;
  vtkNew<vtkDoubleArray> Steps;
  vtkNew<vtkIdTypeArray> FileSizes;
  vtkNew<vtkIdTypeArray> Bytes;
  vtkNew<vtkDoubleArray> WriteSeconds;
  vtkNew<vtkDoubleArray> BlockedSeconds;
  vtkNew<vtkDoubleArray> SealedAt;
  vtkNew<vtkIdTypeArray> Pinned;
  vtkNew<vtkIdTypeArray> HostBytes;
  std::string LaunchCommand;
  std::string Receiving;
  // How files are spread now.
  HostServer::Settings Applied;
  std::chrono::steady_clock::time_point Peeked;

  static HostServer::Settings Chosen(const vtkDSMServer& self);

  HostServer& Running() const
  {
    if (!this->Server)
    {
      throw Error(Fault::Usage, "the DSM server is not running: start it first");
    }
    return *this->Server;
  }

  void Take(HostServer::Status status)
  {
    this->Status = std::move(status);
    vtkAbstractArray* const columns[] = { this->Numbers, this->Files, this->Steps, this->FileSizes,
      this->Bytes, this->WriteSeconds, this->BlockedSeconds, this->SealedAt, this->Pinned,
      this->HostBytes };
    for (auto* column : columns)
    {
      column->Initialize();
    }
    for (const auto& snapshot : this->Status.Snapshots)
    {
      this->Numbers->InsertNextValue(static_cast<vtkIdType>(snapshot.Number));
      this->Files->InsertNextValue(snapshot.File);
      this->Steps->InsertNextValue(snapshot.Step);
      this->FileSizes->InsertNextValue(static_cast<vtkIdType>(snapshot.FileSize));
      this->Bytes->InsertNextValue(static_cast<vtkIdType>(snapshot.Bytes));
      this->WriteSeconds->InsertNextValue(snapshot.WriteSeconds);
      this->BlockedSeconds->InsertNextValue(snapshot.BlockedSeconds);
      this->SealedAt->InsertNextValue(snapshot.SealedAt);
      this->Pinned->InsertNextValue(snapshot.Pinned ? 1 : 0);
    }
    for (const auto bytes : this->Status.HostBytes)
    {
      this->HostBytes->InsertNextValue(static_cast<vtkIdType>(bytes));
    }
    this->Receiving = this->Status.Receiving.empty() ? "" : this->Status.Receiving.front();
  }

  void Refresh() { this->Take(this->Server ? this->Server->GetStatus() : HostServer::Status()); }

  // Before information is given. One pull asks for each property by itself, and all should be of
  // one moment.
  vtkInternals& Fresh(int live)
  {
    const auto now = std::chrono::steady_clock::now();
    if (live && this->Server && now - this->Peeked > std::chrono::milliseconds(20))
    {
      this->Peeked = now;
      this->Take(this->Server->PeekStatus());
    }
    return *this;
  }
};

vtkStandardNewMacro(vtkDSMServer);

vtkDSMServer::vtkDSMServer()
  : Internals(std::make_unique<vtkInternals>())
{
}

vtkDSMServer::~vtkDSMServer() = default;

// Converts what a command throws, which it does on all ranks together, and says it once.
void vtkDSMServer::Attempt(const std::function<void()>& work)
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

HostServer::Settings vtkDSMServer::vtkInternals::Chosen(const vtkDSMServer& self)
{
  HostServer::Settings settings;
  settings.ContactFile = self.ContactFile;
  settings.Strategy = self.Strategy;
  settings.BlockSize = NotNegative(self.BlockSize);
  settings.BlocksPerCycle = NotNegative(self.BlocksPerCycle);
  settings.Seed = NotNegative(self.Seed);
  settings.MemoryPerHost = NotNegative(self.MemoryPerHost) << 20;
  settings.MaximumSnapshots = NotNegative(self.MaximumSnapshots);
  settings.BlockWhenFull = self.FullRing == BLOCK;
  settings.FullRingLimit = self.FullRingLimit;
  settings.ExpectedFileSize = NotNegative(self.ExpectedFileSize);
  settings.Transport = self.Transport;
  return settings;
}

void vtkDSMServer::StartNow()
{
  dsm::readers::RequireLibraries();
  auto& internals = *this->Internals;
  if (internals.Server)
  {
    throw Error(Fault::Usage, "the DSM server is already running, with the contact file {}",
      internals.Server->ContactPath());
  }
  const auto settings = vtkInternals::Chosen(*this);
  internals.Server = std::make_unique<HostServer>(HostRanks(), settings);
  internals.Applied = settings;
  internals.LaunchCommand = LaunchCommand(internals.Server->ContactPath());
  internals.Refresh();
}

void vtkDSMServer::StopNow()
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
  this->Attempt([this] { this->StartNow(); });
}

void vtkDSMServer::Stop()
{
  this->Attempt([this] { this->StopNow(); });
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
      this->Attempt([this] { this->Active ? this->StartNow() : this->StopNow(); });
      // It failed: the next attempt is a change again.
      this->Active = internals.Server ? 1 : 0;
    }
    return;
  }
  const auto settings = vtkInternals::Chosen(*this);
  if (internals.Server && !settings.SpreadsAs(internals.Applied))
  {
    // Said once, not at each setting that follows.
    internals.Applied = settings;
    this->Attempt([&] { internals.Server->ChangeMap(settings); });
  }
}

void vtkDSMServer::Refresh()
{
  this->Attempt([this] { this->Internals->Refresh(); });
}

void vtkDSMServer::WaitForSnapshot()
{
  this->FoundNumber = 0;
  this->Finished = 0;
  this->Waited = 0;
  this->Attempt(
    [this]
    {
      auto found = this->Internals->Running().WaitForSnapshot(
        NotNegative(this->WaitAfter), this->WaitNext != 0, this->WaitSeconds);
      this->FoundNumber = static_cast<vtkIdType>(found.Number);
      this->Finished = found.Finished ? 1 : 0;
      this->Waited = found.Waited;
      this->Internals->Take(std::move(found.Status));
    });
}

void vtkDSMServer::Release()
{
  this->Attempt([this] { this->Internals->Running().Release(NotNegative(this->Number)); });
}

void vtkDSMServer::SaveSnapshot()
{
  this->Attempt(
    [this] { this->Internals->Running().SaveSnapshot(NotNegative(this->Number), this->SavePath); });
}

void vtkDSMServer::Pin()
{
  this->Attempt([this] { this->Internals->Running().Pin(NotNegative(this->Number), true); });
}

void vtkDSMServer::Unpin()
{
  this->Attempt([this] { this->Internals->Running().Pin(NotNegative(this->Number), false); });
}

void vtkDSMServer::Steer()
{
  this->SteerReply.clear();
  this->Attempt(
    [this] { this->SteerReply = this->Internals->Running().Steer(this->SteerRequest); });
}

// Asked for many times a second by a window, of the first rank alone: what goes wrong here goes
// wrong with a command too, and is said there.
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

const char* vtkDSMServer::GetContactPath()
{
  const auto& server = this->Internals->Server;
  return server ? server->ContactPath().c_str() : "";
}

const char* vtkDSMServer::GetLaunchCommand()
{
  return this->Internals->LaunchCommand.c_str();
}

const char* vtkDSMServer::GetReceiving()
{
  return this->Internals->Fresh(this->Live).Receiving.c_str();
}

int vtkDSMServer::GetNumberOfHosts()
{
  return this->Internals->Server ? this->Internals->Server->NumberOfHosts() : 0;
}

const char* vtkDSMServer::GetState()
{
  return this->Internals->Fresh(this->Live).Status.State.c_str();
}

const char* vtkDSMServer::GetLastError()
{
  return this->Internals->Fresh(this->Live).Status.LastError.c_str();
}

const char* vtkDSMServer::GetWriters()
{
  return this->Internals->Fresh(this->Live).Status.Writers.c_str();
}

vtkIdType vtkDSMServer::GetWritersSeen()
{
  return static_cast<vtkIdType>(this->Internals->Fresh(this->Live).Status.WritersSeen);
}

vtkIdType vtkDSMServer::GetSnapshotsSealed()
{
  return static_cast<vtkIdType>(this->Internals->Fresh(this->Live).Status.SnapshotsSealed);
}

vtkIdType vtkDSMServer::GetSnapshotsDropped()
{
  return static_cast<vtkIdType>(this->Internals->Fresh(this->Live).Status.SnapshotsDropped);
}

vtkIdType vtkDSMServer::GetImagesAbandoned()
{
  return static_cast<vtkIdType>(this->Internals->Fresh(this->Live).Status.ImagesAbandoned);
}

vtkIdType vtkDSMServer::GetMemoryUsed()
{
  return static_cast<vtkIdType>(this->Internals->Fresh(this->Live).Status.MemoryUsed);
}

vtkIdType vtkDSMServer::GetMemoryBudget()
{
  return static_cast<vtkIdType>(this->Internals->Fresh(this->Live).Status.MemoryBudget);
}

vtkIdTypeArray* vtkDSMServer::GetSnapshotNumbers()
{
  return this->Internals->Fresh(this->Live).Numbers;
}

vtkStringArray* vtkDSMServer::GetSnapshotFiles()
{
  return this->Internals->Fresh(this->Live).Files;
}

vtkDoubleArray* vtkDSMServer::GetSnapshotSteps()
{
  return this->Internals->Fresh(this->Live).Steps;
}

vtkIdTypeArray* vtkDSMServer::GetSnapshotFileSizes()
{
  return this->Internals->Fresh(this->Live).FileSizes;
}

vtkIdTypeArray* vtkDSMServer::GetSnapshotBytes()
{
  return this->Internals->Fresh(this->Live).Bytes;
}

vtkDoubleArray* vtkDSMServer::GetSnapshotWriteSeconds()
{
  return this->Internals->Fresh(this->Live).WriteSeconds;
}

vtkDoubleArray* vtkDSMServer::GetSnapshotBlockedSeconds()
{
  return this->Internals->Fresh(this->Live).BlockedSeconds;
}

vtkDoubleArray* vtkDSMServer::GetSnapshotSealedAt()
{
  return this->Internals->Fresh(this->Live).SealedAt;
}

vtkIdTypeArray* vtkDSMServer::GetSnapshotPinned()
{
  return this->Internals->Fresh(this->Live).Pinned;
}

vtkIdTypeArray* vtkDSMServer::GetHostBytes()
{
  return this->Internals->Fresh(this->Live).HostBytes;
}

void vtkDSMServer::PrintSelf(ostream& os, vtkIndent indent)
{
  this->Superclass::PrintSelf(os, indent);
  os << indent << "ContactFile: " << this->ContactFile << "\n";
  os << indent << "Active: " << this->Active << "\n";
  os << indent << "State: " << this->GetState() << "\n";
  os << indent << "CommandError: " << this->CommandError << "\n";
}
