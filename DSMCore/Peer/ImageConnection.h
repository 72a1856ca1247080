// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Error.h"
#include "Peer/Connection.h"
#include "Peer/ImageSlot.h"

#include <memory>
#include <optional>
#include <utility>

namespace dsm
{

/// The connection of an image to its server, until the server is lost.
///
/// An image may go on without its server if this process maps its memory. Nobody is asked any more
/// from then on, since a server that comes back does not know what the image has done meanwhile.
/// Each rank finds out for itself. Not thread safe.
class ImageConnection
{
public:
  /// The slot must outlive this.
  ImageConnection(std::shared_ptr<Connection> link, const ImageSlot& slot)
    : Link(std::move(link))
    , Slot(slot)
  {
  }

  const std::shared_ptr<Connection>& Get() const { return this->Link; }
  Connection* operator->() const { return this->Link.get(); }

  /// Allows the image to go on without its server.
  void AllowLoss() { this->MayBeLost = true; }

  /// Returns true once the image goes on without its server.
  bool IsLost() const { return this->Lost; }

  /// Asks the server as Connection::RequestMemory does. Returns none if the server is lost: the
  /// image goes on without it from now on. If it may not, throws instead. Throws Error(PeerLost) if
  /// the slot is not the image's any more.
  template <typename Request>
  std::optional<typename Request::Reply> Ask(const Request& request)
  {
    try
    {
      return this->Link->RequestMemory(request);
    }
    catch (const Error& error)
    {
      const bool lost = error.GetFault() == Fault::NoServer || !this->Link->Alive();
      if (!lost || !this->MayBeLost || !this->Slot.IsMapped())
      {
        throw;
      }
    }
    this->Slot.RequireKept();
    if (const auto fresh = this->Reconnected())
    {
      return fresh->RequestMemory(request);
    }
    this->Lost = true;
    return std::nullopt;
  }

  /// Returns another connection to the server, which seems to be lost. Only the connection may be
  /// lost, or the server was stopped and goes on. Returns null if nobody answers within a second.
  std::shared_ptr<Connection> Reconnected() const;

private:
  std::shared_ptr<Connection> Link;
  const ImageSlot& Slot;
  bool MayBeLost = false;
  bool Lost = false;
};

}
