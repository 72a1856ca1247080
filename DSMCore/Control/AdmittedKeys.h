// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <set>
#include <string>

namespace dsm
{

/// Who may connect to a server: the public keys of its clients, in Z85. They change while it runs.
/// Thread safe.
class AdmittedKeys
{
public:
  enum class Answer
  {
    Admitted,
    Withdrawn, ///< was admitted once
    Unknown
  };

  /// Throws Error(Usage) for what is no key, and for one that was there before.
  void Admit(const std::string& key);

  /// The holder of the key is not heard any more. Does nothing for a key that is not admitted.
  void Withdraw(const std::string& key);

  Answer Ask(const std::string& key) const;

  /// So many keys that were withdrawn are told from unknown ones, the last.
  static constexpr std::size_t MostWithdrawn = 1000;

private:
  mutable std::mutex Guard;
  std::set<std::string> Admitted;
  std::deque<std::string> Withdrawn;
};

}
