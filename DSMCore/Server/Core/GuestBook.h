// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/GuestMessages.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

/// Who was invited to a server, by which key, and until when. Decisions only: no message, lock or
/// clock. It lives as long as the server: another has other keys.
class GuestBook
{
public:
  /// Enters an invitation. Throws Error(Usage) for a name that is none or is taken, a right that no
  /// guest can have, and when there are too many.
  void Invite(const InviteGuest& request, double now);

  /// Ends the invitation of that name, and returns its key. Throws Error(Usage) when there is none.
  std::string Withdraw(const std::string& guest, double now);

  /// Whose key this is; null when it is nobody's, or no more.
  const GuestDescription* Find(const std::string& key) const;

  /// All, also those that were withdrawn, in the order of their invitation.
  std::vector<GuestDescription> All() const;

  static constexpr std::size_t Most = 1000;         ///< invitations that are good
  static constexpr std::size_t MostWithdrawn = 200; ///< that are remembered

private:
  struct Entry
  {
    GuestDescription What;
    std::string Key;
  };

  std::vector<Entry> Entries;
};

/// "ada (guest)": how a log names who came with a guest's key.
std::string GuestText(const std::string& guest);

}
