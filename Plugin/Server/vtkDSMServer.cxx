// SPDX-License-Identifier: BSD-3-Clause
#include "vtkDSMServer.h"

#include "Base/Error.h"
#include "LibraryCheck.h"
#include "vtkDSMServerInternals.h"

#include <vtkMPI.h>
#include <vtkMPICommunicator.h>
#include <vtkMultiProcessController.h>
#include <vtkObjectFactory.h>

#include <algorithm>
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

// A word as a shell takes it.
std::string ForShell(const std::string& word)
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
  return ForShell(program) + " --contact " + ForShell(contact) + " mpiexec -n 4 ./my_simulation";
}
}

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
  settings.BlockSize = self.BlockSize;
  settings.BlocksPerCycle = self.BlocksPerCycle;
  settings.Seed = self.Seed;
  settings.MemoryPerHost = self.MemoryPerHost;
  settings.MaximumSnapshots = self.MaximumSnapshots;
  settings.FullRing = self.FullRing;
  settings.FullRingLimit = self.FullRingLimit;
  settings.ExpectedFileSize = self.ExpectedFileSize;
  settings.Transport = self.Transport;
  settings.SmallTransport = self.SmallTransport;
  settings.SmallTransferSize = self.SmallTransferSize;
  settings.PublishOnFlush = self.Publish != 0;
  settings.NamePattern = self.NamePattern;
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
  internals.StartedContact = settings.ContactFile;
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
  if (internals.Server && settings != internals.Applied)
  {
    // Said once, not at each setting that follows.
    internals.Applied = settings;
    this->Attempt([&] { internals.Server->Change(settings); });
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

void vtkDSMServer::PrintSelf(ostream& os, vtkIndent indent)
{
  this->Superclass::PrintSelf(os, indent);
  os << indent << "ContactFile: " << this->ContactFile << "\n";
  os << indent << "Active: " << this->Active << "\n";
  os << indent << "State: " << this->GetState() << "\n";
  os << indent << "CommandError: " << this->CommandError << "\n";
}
