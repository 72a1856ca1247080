// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/GuestBook.h"

#include "Base/Error.h"

#include <algorithm>

namespace dsm
{

namespace
{
constexpr std::size_t LongestName = 64;

bool IsGood(const std::string& name)
{
  constexpr const char* allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "._@-";
  return !name.empty() && name.size() <= LongestName &&
    name.find_first_not_of(allowed) == std::string::npos;
}
}

void GuestBook::Invite(const InviteGuest& request, double now)
{
  if (!IsGood(request.Guest))
  {
    throw Error(Fault::Usage,
      "\"{}\" cannot be a guest's name: give up to {} letters, digits, and . _ @ -", request.Guest,
      LongestName);
  }
  if (request.May != Right::Look && request.May != Right::Steer)
  {
    throw Error(Fault::Usage, "guests can look, or look and steer; nobody can be invited to {}",
      RightName(request.May));
  }
  const auto isGood = [](const Entry& entry) { return entry.What.Withdrawn == 0; };
  for (const Entry& entry : this->Entries)
  {
    if (isGood(entry) && entry.What.Guest == request.Guest)
    {
      throw Error(Fault::Usage,
        "{} is invited already: give another name, or withdraw that invitation", request.Guest);
    }
  }
  if (static_cast<std::size_t>(std::count_if(this->Entries.begin(), this->Entries.end(), isGood)) >=
    Most)
  {
    throw Error(Fault::Usage, "{} guests are invited, which is the most: withdraw some", Most);
  }
  this->Entries.push_back({ { request.Guest, request.May, now, 0 }, request.Key });
}

std::string GuestBook::Withdraw(const std::string& guest, double now)
{
  const auto found = std::find_if(this->Entries.begin(), this->Entries.end(),
    [&](const Entry& entry) { return entry.What.Guest == guest && entry.What.Withdrawn == 0; });
  if (found == this->Entries.end())
  {
    throw Error(Fault::Usage, "there is no invitation of \"{}\" to withdraw", guest);
  }
  found->What.Withdrawn = now;
  std::string key = found->Key;
  const auto isOver = [](const Entry& entry) { return entry.What.Withdrawn != 0; };
  if (static_cast<std::size_t>(std::count_if(this->Entries.begin(), this->Entries.end(), isOver)) >
    MostWithdrawn)
  {
    this->Entries.erase(std::find_if(this->Entries.begin(), this->Entries.end(), isOver));
  }
  return key;
}

const GuestDescription* GuestBook::Find(const std::string& key) const
{
  const auto found = std::find_if(this->Entries.begin(), this->Entries.end(),
    [&](const Entry& entry) { return entry.Key == key && entry.What.Withdrawn == 0; });
  return found == this->Entries.end() ? nullptr : &found->What;
}

std::vector<GuestDescription> GuestBook::All() const
{
  std::vector<GuestDescription> all;
  all.reserve(this->Entries.size());
  for (const Entry& entry : this->Entries)
  {
    all.push_back(entry.What);
  }
  return all;
}

std::string GuestText(const std::string& guest)
{
  return guest + " (guest)";
}

}
