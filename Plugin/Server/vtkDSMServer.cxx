// SPDX-License-Identifier: BSD-3-Clause
#include "vtkDSMServer.h"

#include "Base/Error.h"
#include "HostServer.h"

#include <vtkDoubleArray.h>
#include <vtkIdTypeArray.h>
#include <vtkMPI.h>
#include <vtkMPICommunicator.h>
#include <vtkMultiProcessController.h>
#include <vtkNew.h>
#include <vtkObjectFactory.h>
#include <vtkStringArray.h>

#include <algorithm>

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
      this->Bytes, this->WriteSeconds, this->BlockedSeconds };
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
    }
  }

  void Refresh() { this->Take(this->Server ? this->Server->GetStatus() : HostServer::Status()); }
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

void vtkDSMServer::Start()
{
  this->Attempt(
    [this]
    {
      if (this->Internals->Server)
      {
        throw Error(Fault::Usage, "the DSM server is already running, with the contact file {}",
          this->Internals->Server->ContactPath());
      }
      HostServer::Settings settings;
      settings.ContactFile = this->ContactFile;
      settings.Strategy = this->Strategy;
      settings.BlockSize = NotNegative(this->BlockSize);
      settings.BlocksPerCycle = NotNegative(this->BlocksPerCycle);
      settings.Seed = NotNegative(this->Seed);
      settings.MemoryPerHost = NotNegative(this->MemoryPerHost) << 20;
      settings.MaximumSnapshots = NotNegative(this->MaximumSnapshots);
      settings.BlockWhenFull = this->FullRing == BLOCK;
      settings.FullRingLimit = this->FullRingLimit;
      settings.ExpectedFileSize = NotNegative(this->ExpectedFileSize);
      this->Internals->Server = std::make_unique<HostServer>(HostRanks(), settings);
      this->Internals->Refresh();
    });
}

void vtkDSMServer::Stop()
{
  this->Attempt(
    [this]
    {
      if (const auto server = std::move(this->Internals->Server))
      {
        server->Stop();
      }
      this->Internals->Refresh();
    });
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

const char* vtkDSMServer::GetContactPath()
{
  const auto& server = this->Internals->Server;
  return server ? server->ContactPath().c_str() : "";
}

int vtkDSMServer::GetNumberOfHosts()
{
  return this->Internals->Server ? this->Internals->Server->NumberOfHosts() : 0;
}

const char* vtkDSMServer::GetState()
{
  return this->Internals->Status.State.c_str();
}

const char* vtkDSMServer::GetLastError()
{
  return this->Internals->Status.LastError.c_str();
}

const char* vtkDSMServer::GetWriters()
{
  return this->Internals->Status.Writers.c_str();
}

vtkIdType vtkDSMServer::GetWritersSeen()
{
  return static_cast<vtkIdType>(this->Internals->Status.WritersSeen);
}

vtkIdType vtkDSMServer::GetSnapshotsSealed()
{
  return static_cast<vtkIdType>(this->Internals->Status.SnapshotsSealed);
}

vtkIdType vtkDSMServer::GetSnapshotsDropped()
{
  return static_cast<vtkIdType>(this->Internals->Status.SnapshotsDropped);
}

vtkIdType vtkDSMServer::GetImagesAbandoned()
{
  return static_cast<vtkIdType>(this->Internals->Status.ImagesAbandoned);
}

vtkIdType vtkDSMServer::GetMemoryUsed()
{
  return static_cast<vtkIdType>(this->Internals->Status.MemoryUsed);
}

vtkIdType vtkDSMServer::GetMemoryBudget()
{
  return static_cast<vtkIdType>(this->Internals->Status.MemoryBudget);
}

vtkIdTypeArray* vtkDSMServer::GetSnapshotNumbers()
{
  return this->Internals->Numbers;
}

vtkStringArray* vtkDSMServer::GetSnapshotFiles()
{
  return this->Internals->Files;
}

vtkDoubleArray* vtkDSMServer::GetSnapshotSteps()
{
  return this->Internals->Steps;
}

vtkIdTypeArray* vtkDSMServer::GetSnapshotFileSizes()
{
  return this->Internals->FileSizes;
}

vtkIdTypeArray* vtkDSMServer::GetSnapshotBytes()
{
  return this->Internals->Bytes;
}

vtkDoubleArray* vtkDSMServer::GetSnapshotWriteSeconds()
{
  return this->Internals->WriteSeconds;
}

vtkDoubleArray* vtkDSMServer::GetSnapshotBlockedSeconds()
{
  return this->Internals->BlockedSeconds;
}

void vtkDSMServer::PrintSelf(ostream& os, vtkIndent indent)
{
  this->Superclass::PrintSelf(os, indent);
  os << indent << "ContactFile: " << this->ContactFile << "\n";
  os << indent << "State: " << this->GetState() << "\n";
  os << indent << "CommandError: " << this->CommandError << "\n";
}
