// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/ServerStatus.h"

#include <vtkDoubleArray.h>
#include <vtkIdTypeArray.h>
#include <vtkNew.h>
#include <vtkStringArray.h>

/// The lists of a status as VTK arrays, which information properties with several values ask for:
/// an array for each member of the list's records.
struct StatusArrays
{
  vtkNew<vtkIdTypeArray> SnapshotNumbers;
  vtkNew<vtkStringArray> SnapshotFiles;
  vtkNew<vtkDoubleArray> SnapshotSteps;
  vtkNew<vtkIdTypeArray> SnapshotFileSizes;
  vtkNew<vtkIdTypeArray> SnapshotBytes;
  vtkNew<vtkDoubleArray> SnapshotWriteSeconds;
  vtkNew<vtkDoubleArray> SnapshotBlockedSeconds;
  vtkNew<vtkIdTypeArray> SnapshotFileCounts;
  vtkNew<vtkStringArray> WriterPrograms;
  vtkNew<vtkIdTypeArray> WriterRanks;
  vtkNew<vtkStringArray> WriterHosts;
  vtkNew<vtkStringArray> WriterMpis;
  vtkNew<vtkDoubleArray> WriterSince;
  vtkNew<vtkIdTypeArray> HostBytes;
  vtkNew<vtkIdTypeArray> HostBytesReceived;
  vtkNew<vtkStringArray> Transports;

  void Update(const dsm::ServerStatus& status);
};
