// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Error.h"
#include "Control/ServiceThread.h"
#include "Protocol/Descriptions.h"

#include <memory>
#include <string>

namespace dsm
{

class Connection;

/// Looks for the server of a contact file that cannot be reached, about once a second, in a thread
/// of its own that makes no MPI call; until it is found, or this ends. So nobody else waits for it.
///
/// Most looks cost a stat: no contact file is there, or nobody listens at its address. A server
/// that is stopped accepts connections and says nothing; it is found when it goes on. One that
/// refuses (another version, other keys) is left alone until the contact file is another one.
class ServerSearch
{
public:
  /// `self` is how this process introduces itself; `why` is what was said when the server could not
  /// be reached; `known` says that it has been there before.
  ServerSearch(
    const std::string& contactPath, const PeerDescription& self, const Error& why, bool known);
  ServerSearch(const ServerSearch&) = delete;
  ServerSearch& operator=(const ServerSearch&) = delete;

  /// Takes at most half a second. In a forked child it does nothing.
  ~ServerSearch();

  /// Why the server could not be reached.
  Error Why() const { return { this->Kind, this->Reason }; }

  /// The connection, which was announced in the log; null as long as there is none.
  std::shared_ptr<Connection> Found() const;

  /// Whether the user has been told that the server is missing; for who owns this.
  bool Told = false;

  /// True in a child of the process that searches: nobody does here.
  bool Forked() const { return this->Thread->Forked(); }

private:
  class State;

  Fault Kind;
  std::string Reason;
  std::shared_ptr<State> Shared;
  std::unique_ptr<ServiceThread> Thread;
};

}
