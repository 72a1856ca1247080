// SPDX-License-Identifier: BSD-3-Clause
// The half of vtkDSMServer that answers information properties.
#include "vtkDSMServerInternals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace
{
void Fill(vtkIdTypeArray* array, const std::vector<std::uint64_t>& values)
{
  for (const auto value : values)
  {
    array->InsertNextValue(static_cast<vtkIdType>(value));
  }
}

// "gray_scott (4 ranks on node7, Open MPI 5.0.7)"
std::string Sentence(const HostServer::Writer& writer)
{
  return fmt::format("{} ({} {} on {}{}{})", writer.Program, writer.Ranks,
    writer.Ranks == 1 ? "rank" : "ranks", writer.Node, writer.Mpi.empty() ? "" : ", ", writer.Mpi);
}
}

void vtkDSMServer::vtkInternals::Take(HostServer::Status status)
{
  this->Status = std::move(status);
  vtkAbstractArray* const columns[] = { this->Numbers, this->Files, this->Steps, this->FileSizes,
    this->Bytes, this->WriteSeconds, this->BlockedSeconds, this->SealedAt, this->Pinned,
    this->HostBytes, this->AllHostBytes, this->HostMemoryUsed, this->Transports,
    this->WriterPrograms, this->WriterRanks, this->WriterHosts, this->WriterMpis,
    this->WriterSince };
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
  Fill(this->HostBytes, this->Status.HostBytes);
  Fill(this->AllHostBytes, this->Status.AllHostBytes);
  Fill(this->HostMemoryUsed, this->Status.HostMemoryUsed);
  for (const auto& transport : this->Status.Transports)
  {
    this->Transports->InsertNextValue(transport);
  }
  this->Writers.clear();
  for (const auto& writer : this->Status.Writers)
  {
    this->Writers += (this->Writers.empty() ? "" : ", ") + Sentence(writer);
    this->WriterPrograms->InsertNextValue(writer.Program);
    this->WriterRanks->InsertNextValue(static_cast<vtkIdType>(writer.Ranks));
    this->WriterHosts->InsertNextValue(writer.Node);
    this->WriterMpis->InsertNextValue(writer.Mpi);
    this->WriterSince->InsertNextValue(writer.Since);
  }
  this->Receiving = this->Status.Receiving.empty() ? "" : this->Status.Receiving.front();
}

vtkDSMServer::vtkInternals& vtkDSMServer::vtkInternals::Fresh(int live)
{
  const auto now = std::chrono::steady_clock::now();
  if (live && this->Server && now - this->Peeked > std::chrono::milliseconds(20))
  {
    this->Peeked = now;
    this->Take(this->Server->PeekStatus());
  }
  return *this;
}

const HostServer::Effective& vtkDSMServer::vtkInternals::InForce(const vtkDSMServer& self)
{
  if (this->Server)
  {
    return this->Fresh(self.Live).Status.InForce;
  }
  // The defaults file is read once for the same settings, not at each pull.
  const auto settings = Chosen(self);
  if (!this->HasPreview || settings != this->Previewed)
  {
    this->HasPreview = true;
    this->Previewed = settings;
    try
    {
      this->Preview = HostServer::Preview(settings);
    }
    catch (const std::exception&)
    {
      this->Preview = {}; // Start will say what is wrong
    }
  }
  return this->Preview;
}

const char* vtkDSMServer::GetContactPath()
{
  const auto& server = this->Internals->Server;
  return server ? server->ContactPath().c_str() : "";
}

const char* vtkDSMServer::GetPendingChanges()
{
  auto& internals = this->Internals->Fresh(this->Live);
  internals.Pending.clear();
  if (!internals.Status.Pending.empty())
  {
    internals.Pending =
      fmt::format("{}: from the next file on", fmt::join(internals.Status.Pending, ", "));
  }
  if (internals.Server && this->ContactFile != internals.StartedContact)
  {
    internals.Pending +=
      fmt::format("{}contact file: at the next start", internals.Pending.empty() ? "" : "; ");
  }
  return internals.Pending.c_str();
}

double vtkDSMServer::GetThroughput()
{
  const auto& all = this->Internals->Fresh(this->Live).Status.Snapshots;
  return all.empty() || all.back().WriteSeconds <= 0
    ? 0
    : static_cast<double>(all.back().Bytes) / all.back().WriteSeconds;
}

const char* vtkDSMServer::GetLaunchCommand()
{
  return this->Internals->LaunchCommand.c_str();
}

int vtkDSMServer::GetNumberOfHosts()
{
  return this->Internals->Server ? this->Internals->Server->NumberOfHosts() : 0;
}

const char* vtkDSMServer::GetReceiving()
{
  return this->Internals->Fresh(this->Live).Receiving.c_str();
}

const char* vtkDSMServer::GetState()
{
  return this->Internals->Fresh(this->Live).Status.State.c_str();
}

const char* vtkDSMServer::GetLastError()
{
  return this->Internals->Fresh(this->Live).Status.LastError.c_str();
}

double vtkDSMServer::GetLastErrorAt()
{
  return this->Internals->Fresh(this->Live).Status.LastErrorAt;
}

const char* vtkDSMServer::GetEffectiveStrategy()
{
  return this->Internals->InForce(*this).Strategy.c_str();
}

vtkIdType vtkDSMServer::GetEffectiveBlockSize()
{
  return static_cast<vtkIdType>(this->Internals->InForce(*this).BlockSize);
}

const char* vtkDSMServer::GetEffectiveTransport()
{
  return this->Internals->InForce(*this).Transport.c_str();
}

vtkIdType vtkDSMServer::GetEffectiveMemoryPerHost()
{
  return static_cast<vtkIdType>(this->Internals->InForce(*this).MemoryPerHost);
}

int vtkDSMServer::GetEffectiveFullRing()
{
  return this->Internals->InForce(*this).FullRing;
}

double vtkDSMServer::GetEffectiveFullRingLimit()
{
  return this->Internals->InForce(*this).FullRingLimit;
}

int vtkDSMServer::GetEffectiveMaximumSnapshots()
{
  return static_cast<int>(this->Internals->InForce(*this).MaximumSnapshots);
}

vtkIdType vtkDSMServer::GetMemoryRoom()
{
  return this->Internals->Server ? static_cast<vtkIdType>(this->Internals->Server->Room()) : 0;
}

vtkStringArray* vtkDSMServer::GetTransports()
{
  return this->Internals->Fresh(this->Live).Transports;
}

const char* vtkDSMServer::GetWriters()
{
  return this->Internals->Fresh(this->Live).Writers.c_str();
}

vtkStringArray* vtkDSMServer::GetWriterPrograms()
{
  return this->Internals->Fresh(this->Live).WriterPrograms;
}

vtkIdTypeArray* vtkDSMServer::GetWriterRanks()
{
  return this->Internals->Fresh(this->Live).WriterRanks;
}

vtkStringArray* vtkDSMServer::GetWriterHosts()
{
  return this->Internals->Fresh(this->Live).WriterHosts;
}

vtkStringArray* vtkDSMServer::GetWriterMpis()
{
  return this->Internals->Fresh(this->Live).WriterMpis;
}

vtkDoubleArray* vtkDSMServer::GetWriterSince()
{
  return this->Internals->Fresh(this->Live).WriterSince;
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

vtkIdType vtkDSMServer::GetSnapshotsSkipped()
{
  return static_cast<vtkIdType>(this->Internals->Fresh(this->Live).Status.SnapshotsSkipped);
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

vtkIdType vtkDSMServer::GetBytesReceived()
{
  return static_cast<vtkIdType>(this->Internals->Fresh(this->Live).Status.BytesReceived);
}

double vtkDSMServer::GetBlockedSeconds()
{
  return this->Internals->Fresh(this->Live).Status.BlockedSeconds;
}

double vtkDSMServer::GetWaitingSeconds()
{
  return this->Internals->Fresh(this->Live).Status.WaitingSeconds;
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

vtkIdTypeArray* vtkDSMServer::GetHostBytesReceived()
{
  return this->Internals->Fresh(this->Live).AllHostBytes;
}

vtkIdTypeArray* vtkDSMServer::GetHostMemoryUsed()
{
  return this->Internals->Fresh(this->Live).HostMemoryUsed;
}
