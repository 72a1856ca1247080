// SPDX-License-Identifier: BSD-3-Clause
#include "ServerInformation.h"

#include "Encoding/Encoding.h"
#include "Server/ServerSettings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vtksys/SystemTools.hxx>

#include <utility>

namespace
{
// The status with what changed in its list of snapshots: see SnapshotChanges::Changes.
struct ChangedStatus : HostServer::Status
{
  std::uint64_t Revision = 0;
  std::uint64_t Since = 0;
  std::vector<dsm::SnapshotId> Gone;
};

void Describe(dsm::Fields& fields, ChangedStatus& status)
{
  Describe(fields, static_cast<HostServer::Status&>(status));
  fields("Revision", status.Revision);
  fields("Since", status.Since);
  fields("Gone", status.Gone);
}

// "gray_scott (4 ranks on node7, Open MPI 5.0.7)"
std::string TextOf(const dsm::ConnectedWriter& writer)
{
  return fmt::format("{} ({} {} on {}{}{})", writer.Program, writer.Ranks,
    writer.Ranks == 1 ? "rank" : "ranks", writer.Node, writer.Mpi.empty() ? "" : ", ", writer.Mpi);
}
}

ServerInformation::ServerInformation(
  const std::unique_ptr<HostServer>& server, const dsm::SettingValues& settings)
  : Server(server)
  , Settings(settings)
{
}

void ServerInformation::Refresh()
{
  this->Set(this->Server ? this->Server->GetStatus() : HostServer::Status());
}

void ServerInformation::Set(HostServer::Status status)
{
  this->Last = std::move(status);
  this->LastWriters = WritersText(this->Last);
}

std::string ServerInformation::WritersText(const dsm::ServerStatus& status)
{
  std::string text;
  for (const auto& writer : status.Writers)
  {
    text += (text.empty() ? "" : ", ") + TextOf(writer);
  }
  return text;
}

const HostServer::Status& ServerInformation::Status(bool live)
{
  const auto now = std::chrono::steady_clock::now();
  if (live && this->Server && now - this->Time > std::chrono::milliseconds(20))
  {
    this->Time = now;
    this->Set(this->Server->PeekStatus());
  }
  return this->Last;
}

const dsm::ServerOptions* ServerInformation::InForce(bool live)
{
  if (this->Server)
  {
    return &this->Status(live).Options;
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

std::string ServerInformation::Json(bool live, std::uint64_t revision)
{
  this->Status(live);
  this->Changes.Update(this->Last.Snapshots, this->Last.Pinned, this->Last.Saved);
  // Without a copy of all snapshots.
  auto all = std::exchange(this->Last.Snapshots, {});
  ChangedStatus status{ this->Last, 0, 0, {} };
  this->Last.Snapshots = std::move(all);
  auto changes = this->Changes.After(revision);
  status.Snapshots = std::move(changes.Snapshots);
  status.Pinned = std::move(changes.Pinned);
  status.Saved = std::move(changes.Saved);
  status.Revision = changes.Revision;
  status.Since = changes.Since;
  status.Gone = std::move(changes.Gone);
  return dsm::ToText(status);
}

const std::string& ServerInformation::Writers(bool live)
{
  this->Status(live);
  return this->LastWriters;
}

std::string ServerInformation::PendingChanges(bool live, const dsm::SettingValues& started)
{
  const auto& waiting = this->Status(live).Pending;
  std::string text;
  if (!waiting.empty())
  {
    text = fmt::format("{} (from the next file)", fmt::join(waiting, ", "));
  }
  for (const dsm::Setting& setting : dsm::ServerSettings())
  {
    if (this->Server && setting.Effect == dsm::SettingEffect::NextStart &&
      this->Settings.Get(setting.Name) != started.Get(setting.Name))
    {
      text += fmt::format("{}{} (at the next start)", text.empty() ? "" : "; ",
        vtksys::SystemTools::LowerCase(setting.Label));
    }
  }
  return text;
}
