// SPDX-License-Identifier: BSD-3-Clause
#include "FoundServer.h"

#include "Attach/RemoteServer.h"
#include "Base/Deadline.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Mpi/Communicator.h"
#include "ServerInformation.h"

#include <algorithm>

namespace
{
// The panel waits for it.
constexpr dsm::Seconds LookLimit(3);
constexpr dsm::Seconds StopLimit(10);

dsm::RemoteServer Attach(const std::string& contactFile, dsm::Seconds limit)
{
  return { dsm::Communicator::Duplicate(MPI_COMM_NULL), contactFile,
    dsm::RemoteServer::Role::Caretaker, dsm::Deadline(limit) };
}

void Count(FoundServer& found, const dsm::ServerStatus& status)
{
  found.Snapshots = status.Snapshots.size();
  for (const auto& snapshot : status.Snapshots)
  {
    const auto& saved = status.Saved;
    if (std::find(saved.begin(), saved.end(), snapshot.Number) == saved.end())
    {
      ++found.Unsaved;
      found.UnsavedSize += snapshot.FileSize;
    }
  }
  found.Writers = ServerInformation::WritersText(status);
}
}

std::optional<FoundServer> FoundServer::Look(const std::string& contactFile)
{
  FoundServer found;
  found.Contact = dsm::AbsoluteName(contactFile);
  try
  {
    const auto server = Attach(contactFile, LookLimit);
    Count(found, server.Status());
  }
  catch (const dsm::Error& error)
  {
    if (error.GetFault() != dsm::Fault::Refused)
    {
      return std::nullopt;
    }
    found.IsAttachable = false;
  }
  return found;
}

void FoundServer::Stop(const std::string& contactFile)
{
  Attach(contactFile, StopLimit).Stop();
}

void Describe(dsm::Fields& fields, FoundServer& found)
{
  fields("Contact", found.Contact);
  fields("IsAttachable", found.IsAttachable);
  fields("Snapshots", found.Snapshots);
  fields("Unsaved", found.Unsaved);
  fields("UnsavedSize", found.UnsavedSize);
  fields("Writers", found.Writers);
}
