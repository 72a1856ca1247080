// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/RescueMessages.h"

#include "Encoding/Fields.h"

#include <cerrno>

#include <sys/socket.h>

namespace dsm
{

void Describe(Fields& fields, RescueServer& message)
{
  fields("Server", message.Server);
  fields("Contact", message.Contact);
  fields("Folder", message.Folder);
}

void Describe(Fields& fields, RescueSnapshot& message)
{
  fields("Snapshot", message.Snapshot);
}

void Describe(Fields& fields, SnapshotSaved& message)
{
  fields("Number", message.Number);
  fields("OnDisk", message.OnDisk);
}

void Describe(Fields&, EndRescue&) {}

void Describe(Fields& fields, RescueEnded& message)
{
  fields("Unsaved", message.Unsaved);
  fields("GoesOn", message.GoesOn);
}

std::optional<Envelope> rescue::Receive(int socket)
{
  ssize_t size = -1;
  do
  {
    size = recv(socket, nullptr, 0, MSG_PEEK | MSG_TRUNC); // how long the packet is
  } while (size < 0 && errno == EINTR);
  if (size <= 0)
  {
    return std::nullopt;
  }
  Bytes packet(static_cast<std::size_t>(size));
  size = recv(socket, packet.data(), packet.size(), 0);
  return size <= 0 ? std::nullopt : DecodeEnvelope(packet.data(), packet.size());
}

}
