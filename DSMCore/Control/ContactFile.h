// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Base/NodeIdentity.h"
#include "Base/SecretText.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace dsm
{

/// What a contact file says: where the server listens, and the keys that admit a client.
struct Contact
{
  std::string Session;
  std::vector<std::string> Endpoints; ///< ZeroMQ addresses, the same socket by several names
  std::string ServerPublicKey;        ///< CURVE keys in Z85
  std::string ClientPublicKey;
  SecretText ClientSecretKey;
  std::optional<std::string> Guest; ///< who was invited with these keys; none: the owner
  std::string Node;                 ///< machine and boot of host rank 0 (NodeIdentity)
  std::string Network;              ///< of host rank 0 (NetworkIdentity)
  std::string HostName;
  std::uint64_t Process = 0; ///< of host rank 0
  std::string Started;       ///< ISO 8601, UTC
  std::vector<std::string> Transports;

  /// Returns a contact that says where this process runs, and since when; a Listener adds where it
  /// listens.
  static Contact OfThisProcess();

  std::string ToText() const;                       ///< JSON
  static Contact FromText(const std::string& text); ///< throws Error(Refused) on anything else
};

/// Where viewers that crash leave word for those that come after them: beside the contact file.
std::string CrashFileOf(const std::string& contactPath);

/// The server's hold on its contact file: written with mode 0600, locked while the server lives,
/// removed at the end, with what viewers left beside it. A file whose lock is free was left by a
/// server that crashed, and is replaced.
class ContactFile
{
public:
  /// Throws Error(Usage) when a living server holds the file (the message names its process), and
  /// Error(System) when it cannot be written.
  ContactFile(const std::string& path, const Contact& contact);
  ContactFile(const ContactFile&) = delete;
  ContactFile& operator=(const ContactFile&) = delete;
  ~ContactFile();

  const std::string& Path() const { return this->FilePath; } ///< absolute

private:
  std::string FilePath;
  int Descriptor = -1;
  int Owner = 0; ///< process that made it: a forked child must not remove the file
};

/// Writes a guest's contact file: of mode 0600, or 0640 for a group whose members may then make
/// copies of their own. Throws Error(Usage) when there is a file of that name, and Error(System)
/// when it cannot be written.
void WriteContact(
  const std::string& path, const Contact& contact, std::optional<gid_t> group = std::nullopt);

/// Reads a contact file. Waits within the deadline for one that is just being written. Throws
/// Error(NoServer) when there is none, naming the path and how to make it, and Error(Refused) when
/// it is no contact file or is readable by others than its owner's processes need.
Contact ReadContact(const std::string& path, const Deadline& deadline);

}
