// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/OpenFile.h"

#include "Base/Deadline.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Log.h"
#include "Driver/AccessInfo.h"
#include "Driver/FileRouting.h"
#include "Driver/Hdf5Library.h"
#include "Driver/ImageFile.h"
#include "Driver/Interactions.h"
#include "Driver/LiveDirectory.h"
#include "Driver/SnapshotFile.h"
#include "Mpi/Agreement.h"
#include "Protocol/SnapshotMessages.h"
#include "Session/Peek.h"
#include "Transport/TransportKind.h"

#include <atomic>

namespace dsm
{

namespace
{

void WarnWithoutServer(const std::string& why, const std::string& name)
{
  static std::atomic<bool> warned{ false };
  if (!warned.exchange(true))
  {
    Log().warn(
      "{}\ndsm warning: DSM_WITHOUT_SERVER=disk: {} and the files after it go to disk", why, name);
  }
}

RoutingDecision DecideTogether(
  const OpenRequest& request, const AccessList& access, LiveDirectory& directory)
{
  return RunOnRankZero(access.Ranks, [&]
    { return DecideRoute(request, RoutingSettings::FromEnvironment(access.Contact), directory); });
}

std::unique_ptr<MemoryFile> MakeFile(const OpenRequest& request, const RoutingDecision& decision,
  const AccessList& access, LiveDirectory& directory)
{
  std::unique_ptr<MemoryFile> file;
  if (decision.Where == Route::Interactions)
  {
    // One look for all ranks: all see the same values.
    auto image = RunOnRankZero(access.Ranks,
      [&]
      {
        ReadInteractions read;
        read.Peek = Peek::Active();
        return InteractionsImage(directory.Link(decision.Contact)->Request(read));
      });
    return std::make_unique<InteractionsFile>(request.Name, std::move(image));
  }
  if (decision.Where == Route::Snapshot)
  {
    std::shared_ptr<Connection> link;
    Agree(access.Ranks, [&] { link = directory.Link(decision.Contact); });
    JoinHosts(access.Ranks, *link);
    Agree(access.Ranks,
      [&]
      {
        link->Data(); // fails here rather than at the first read
        file = std::make_unique<SnapshotFile>(directory.View(decision.Contact, decision.Number));
      });
    return file;
  }
  // Rank 0's directory has been talking to the server: the connection is there.
  auto link = access.Ranks.Rank() == 0 ? directory.Link(decision.Contact) : nullptr;
  return std::make_unique<ImageFile>(access.Ranks, std::move(link), AbsoluteName(request.Name),
    decision.Where == Route::ImageFromSnapshot);
}

}

AccessList AccessList::Read(hid_t fapl)
{
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Info info = MPI_INFO_NULL;
  if (H5Pget_mpi_params(fapl, &comm, &info) < 0)
  {
    throw Error(Fault::System, "HDF5 does not tell the communicator of a file access list");
  }
  AccessList access;
  access.Ranks = Communicator::Adopt(comm);
  access.Keys = Info::Adopt(info);
  access.Contact = AccessInfo::ContactOf(fapl);
  return access;
}

std::unique_ptr<OpenMemoryFile> OpenInMemory(
  const std::string& name, unsigned flags, AccessList access)
{
  const auto begin = Clock::now();
  const OpenRequest request = OpenRequest::FromFlags(name, flags);
  const bool writes = request.Write || request.Create;
  LiveDirectory directory(access.Ranks.Rank() > 0 ? "rank"
      : writes                                    ? "writer"
                                                  : "viewer",
    static_cast<std::uint64_t>(access.Ranks.Size()));
  const RoutingDecision decision = DecideTogether(request, access, directory);
  if (decision.Where == Route::Foreign)
  {
    if (!decision.WithoutServer.empty() && access.Ranks.Rank() == 0)
    {
      WarnWithoutServer(decision.WithoutServer, name);
    }
    return nullptr;
  }
  if (access.Parallel())
  {
    hdf5library::RequireTransferContext();
  }
  auto opened = std::make_unique<OpenMemoryFile>();
  opened->File = MakeFile(request, decision, access, directory);
  opened->FileEnd = opened->File->InitialEnd();
  opened->Parallel = access.Parallel();
  opened->Contact = access.Contact;
  // HDF5 takes a null info for an error.
  opened->Keys = access.Parallel() && access.Keys.Handle() == MPI_INFO_NULL
    ? Info::Empty()
    : std::move(access.Keys);
  opened->Shared = std::move(access.Ranks);
  opened->File->AddTime(Seconds(Clock::now() - begin).count(), false);
  return opened;
}

bool DeleteInMemory(const std::string& name, const AccessList& access)
{
  LiveDirectory directory("writer", static_cast<std::uint64_t>(access.Ranks.Size()));
  OpenRequest request;
  request.Name = name;
  const RoutingDecision decision = DecideTogether(request, access, directory);
  if (decision.Where == Route::Foreign)
  {
    return false;
  }
  RunOnRankZero(access.Ranks,
    [&] { directory.Link(decision.Contact)->Request(DeleteFile{ AbsoluteName(name) }); });
  return true;
}

}
