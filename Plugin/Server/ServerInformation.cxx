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

std::string ServerInformation::Json(bool live)
{
  auto status = this->Status(live);
  // Of many hosts these are most of the text, and who asks wants those of the newest.
  for (std::size_t i = 0; i + 1 < status.Snapshots.size(); ++i)
  {
    status.Snapshots[i].Statistics.HostBytes.clear();
  }
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
