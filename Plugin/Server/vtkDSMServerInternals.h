// SPDX-License-Identifier: BSD-3-Clause
#ifndef vtkDSMServerInternals_h
#define vtkDSMServerInternals_h

#include "vtkDSMServer.h"

#include "Base/Error.h"
#include "HostServer.h"

#include <vtkDoubleArray.h>
#include <vtkIdTypeArray.h>
#include <vtkNew.h>
#include <vtkStringArray.h>

#include <chrono>
#include <string>
#include <vector>

/// The hosts while they run, and what was last learned of them, in the shapes that information
/// properties ask for.
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
  vtkNew<vtkIdTypeArray> AllHostBytes;
  vtkNew<vtkIdTypeArray> HostMemoryUsed;
  vtkNew<vtkStringArray> Transports;
  vtkNew<vtkStringArray> WriterPrograms;
  vtkNew<vtkIdTypeArray> WriterRanks;
  vtkNew<vtkStringArray> WriterHosts;
  vtkNew<vtkStringArray> WriterMpis;
  vtkNew<vtkDoubleArray> WriterSince;
  std::string LaunchCommand;
  std::string Receiving;
  std::string Writers;
  std::string Pending;
  HostServer::Settings Applied; ///< the settings that the server was last given
  std::string StartedContact;   ///< the contact file's setting at Start
  std::chrono::steady_clock::time_point Peeked;

  static HostServer::Settings Chosen(const vtkDSMServer& self);

  HostServer& Running() const
  {
    if (!this->Server)
    {
      throw dsm::Error(dsm::Fault::Usage, "the DSM server is not running: start it first");
    }
    return *this->Server;
  }

  void Take(HostServer::Status status);
  void Refresh() { this->Take(this->Server ? this->Server->GetStatus() : HostServer::Status()); }

  /// Before information is given. One pull asks for each property by itself, and all should be of
  /// one moment.
  vtkInternals& Fresh(int live);

  /// What counts now, or would at Start.
  const HostServer::Effective& InForce(const vtkDSMServer& self);

private:
  HostServer::Settings Previewed;
  HostServer::Effective Preview;
  bool HasPreview = false;
};

#endif
