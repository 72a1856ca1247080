// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/LiveDirectory.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Session/Connections.h"

#include <atomic>
#include <filesystem>
#include <thread>

namespace dsm
{

namespace
{

/// Seconds that this process's first connection may wait for its server. A program in one MPI job
/// with ParaView starts before ParaView can have written the contact file.
Seconds TakeStartupTimeout()
{
  static std::atomic<bool> taken{ false };
  return taken.exchange(true) ? Seconds(0) : environment::SecondsOr("DSM_WAIT", 0);
}

}

LiveDirectory::LiveDirectory(const std::string& role, std::uint64_t ranks)
  : Role(role)
  , Ranks(ranks)
{
}

std::vector<std::string> LiveDirectory::ConnectedContacts() const
{
  std::vector<std::string> contacts;
  for (const auto& connection : connections::All())
  {
    contacts.push_back(connection->ContactPath());
  }
  return contacts;
}

bool LiveDirectory::IsContactFile(const std::string& path) const
{
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed))
  {
    return false;
  }
  try
  {
    ReadContact(path, Deadline(Seconds(1)));
    return true;
  }
  catch (const Error&)
  {
    return false;
  }
}

std::shared_ptr<Connection> LiveDirectory::Link(const std::string& contact)
{
  auto& link = this->Links[contact];
  if (!link || !link->Alive())
  {
    for (const Deadline deadline(TakeStartupTimeout()); !link || !link->Alive();)
    {
      try
      {
        link = connections::Get(contact, this->Role, this->Ranks, Deadline(RequestTimeout()));
      }
      catch (const Error& error)
      {
        if (error.GetFault() != Fault::NoServer || deadline.Expired())
        {
          throw;
        }
        std::this_thread::sleep_for(deadline.Remaining(std::chrono::milliseconds(50)));
      }
    }
  }
  return link;
}

std::optional<std::uint64_t> LiveDirectory::Newest(
  const std::string& contact, const std::string& fileName)
{
  auto link = this->Link(contact);
  try
  {
    this->NewestView = std::make_unique<SnapshotView>(std::move(link), fileName);
  }
  catch (const Error& error)
  {
    if (error.GetFault() != Fault::Refused)
    {
      throw;
    }
    return std::nullopt;
  }
  this->NewestContact = contact;
  return this->NewestView->Description().Number;
}

void LiveDirectory::RequireServer(const std::string& contact)
{
  this->Link(contact);
}

std::string LiveDirectory::Wanted(const std::string& contact)
{
  return this->Link(contact)->GetFilePolicy().Match;
}

bool LiveDirectory::OnDisk(const std::string& fileName) const
{
  std::error_code failed;
  return std::filesystem::exists(fileName, failed);
}

std::unique_ptr<SnapshotView> LiveDirectory::View(const std::string& contact, std::uint64_t number)
{
  if (this->NewestView && this->NewestContact == contact &&
    this->NewestView->Description().Number == number)
  {
    return std::move(this->NewestView);
  }
  return std::make_unique<SnapshotView>(this->Link(contact), number);
}

}
