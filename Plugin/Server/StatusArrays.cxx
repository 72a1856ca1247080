// SPDX-License-Identifier: BSD-3-Clause
#include "StatusArrays.h"

#include <algorithm>
#include <functional>

namespace
{
template <typename Array, typename Record, typename Member>
void Fill(vtkNew<Array>& array, const std::vector<Record>& records, Member member)
{
  array->Initialize();
  for (const auto& record : records)
  {
    const auto& value = std::invoke(member, record);
    if constexpr (std::is_same_v<Array, vtkIdTypeArray>)
    {
      array->InsertNextValue(static_cast<vtkIdType>(value));
    }
    else
    {
      array->InsertNextValue(value);
    }
  }
}
}

void StatusArrays::Update(const dsm::ServerStatus& status)
{
  using Snapshot = dsm::SnapshotDescription;
  using Writer = dsm::ConnectedWriter;
  using Statistics = dsm::WriteStatistics;
  const auto& all = status.Snapshots;
  const auto written = [](auto member)
  { return [member](const Snapshot& one) { return one.Statistics.*member; }; };
  Fill(this->SnapshotNumbers, all, &Snapshot::Number);
  Fill(this->SnapshotFiles, all, &Snapshot::FileName);
  Fill(this->SnapshotSteps, all, &Snapshot::Step);
  Fill(this->SnapshotFileSizes, all, &Snapshot::FileSize);
  Fill(this->SnapshotBytes, all, written(&Statistics::Bytes));
  Fill(this->SnapshotWriteSeconds, all, written(&Statistics::WriteSeconds));
  Fill(this->SnapshotBlockedSeconds, all, written(&Statistics::BlockedSeconds));
  Fill(this->SnapshotFileCounts, all,
    [](const Snapshot& one) { return std::max<std::size_t>(one.Parts.size(), 1); });
  Fill(this->WriterPrograms, status.Writers, &Writer::Program);
  Fill(this->WriterRanks, status.Writers, &Writer::Ranks);
  Fill(this->WriterHosts, status.Writers, &Writer::Node);
  Fill(this->WriterMpis, status.Writers, &Writer::Mpi);
  Fill(this->WriterSince, status.Writers, &Writer::Since);
  Fill(this->HostBytes,
    all.empty() ? std::vector<std::uint64_t>() : all.back().Statistics.HostBytes, std::identity());
  Fill(this->HostBytesReceived, status.HostBytes, std::identity());
  Fill(this->Transports, status.Transports, std::identity());
}
