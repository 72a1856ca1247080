// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMBlankPicture_h
#define pqDSMBlankPicture_h

#include <QString>

#include <functional>
#include <optional>

class pqDSMFollower;

/// Why nothing is to be seen, or less than there should be, though snapshots arrive, or why colors
/// do not tell values apart; and what mends it.
namespace pqDSMBlankPicture
{
struct Reason
{
  QString Text;
  QString Button;
  std::function<void()> mend;
};

/// The first that applies. Asks for what ParaView's window knows already, and for ranges of data
/// that were read.
std::optional<Reason> find(pqDSMFollower& follower);
}

#endif
