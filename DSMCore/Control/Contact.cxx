// SPDX-License-Identifier: BSD-3-Clause
#include "Control/ContactFile.h"

#include "Base/Error.h"
#include "Base/FileDescriptor.h"
#include "Base/FileName.h"
#include "Encoding/Encoding.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <optional>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dsm
{

namespace
{
constexpr const char* Format = "ParaView DSM contact";
constexpr int FormatVersion = 2;
constexpr const char* Note =
  "Names a running ParaView DSM server and holds the key to it: keep it to yourself. "
  "The server removes it at its end.";

constexpr const char* GuestNote =
  "An invitation to a running ParaView DSM server, and the key that comes with it: keep it to "
  "yourself. Who runs the server can withdraw it.";

// A contact file is written in one go in microseconds; over a network file system its content may
// come a moment after its name. What is still incomplete then never will be complete.
constexpr std::chrono::milliseconds LongestWrite(2000);

// The text of a contact file without its secret key, so that no core dump has the key.
struct ContactText
{
  std::string Text;
  SecretText Key;
};

// Takes the key out of a text. What parses it would leave parts of it in memory that is free again.
// In Z85 there are neither quotes nor what JSON writes in another way.
SecretText TakeKey(std::string& text)
{
  constexpr std::string_view name = "\"ClientSecretKey\"";
  const std::size_t found = text.find(name);
  const std::size_t open = found == std::string::npos ? found : text.find('"', found + name.size());
  const std::size_t close = open == std::string::npos ? open : text.find('"', open + 1);
  if (close == std::string::npos)
  {
    return {};
  }
  const SecretText key(std::string_view(text).substr(open + 1, close - open - 1));
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(open) + 1,
    text.begin() + static_cast<std::ptrdiff_t>(close), ' ');
  return key;
}

// Into room that is there before: a text that grows leaves copies behind.
ContactText ReadAll(int descriptor, const std::string& path)
{
  // No contact file is larger; a user's data file named by mistake may be.
  constexpr std::size_t largest = 1 << 16;
  ContactText read;
  read.Text.resize(largest);
  std::size_t size = 0;
  while (size < largest)
  {
    const ssize_t got = ::read(descriptor, read.Text.data() + size, largest - size);
    if (got == 0)
    {
      break;
    }
    if (got < 0 && errno != EINTR)
    {
      throw Error(Fault::Refused, "cannot read the contact file {}: {}", path, SystemText(errno));
    }
    size += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
  }
  read.Text.resize(size);
  read.Key = TakeKey(read.Text);
  return read;
}

// True for what may be the beginning of a contact file, or nothing yet.
bool LooksUnfinished(const std::string& text)
{
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string::npos || (text[first] == '{' && !IsJsonText(text));
}

ContactText ReadOnce(const std::string& path)
{
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.IsOpen())
  {
    if (errno == ENOENT || errno == ENOTDIR)
    {
      throw Error(Fault::NoServer,
        "there is no contact file {}: start a server first (in ParaView: DSM, Start, with this "
        "contact file; it writes the file), or name the file of one that runs with --contact or "
        "DSM_CONTACT",
        path);
    }
    throw Error(Fault::Refused,
      "cannot open the contact file {}: {}. Only the user who started the "
      "server can read it: ask that one for an invitation (dsm-invite), or for a copy of one",
      path, SystemText(errno));
  }
  struct stat status = {};
  if (fstat(file.Get(), &status) != 0)
  {
    throw Error(Fault::Refused, "cannot examine the contact file {}: {}", path, SystemText(errno));
  }
  if (!S_ISREG(status.st_mode))
  {
    throw Error(Fault::Refused, "{} is no regular file, so no contact file", path);
  }
  ContactText read = ReadAll(file.Get(), path);
  const std::string& text = read.Text;
  // Asked after the content is known to be ours: nobody should be told to chmod a data file.
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0 && text.find(Format) != std::string::npos)
  {
    if (text.find("\"Guest\"") != std::string::npos)
    {
      throw Error(Fault::Refused,
        "the invitation {} holds a secret key, and other users can reach it (mode {:o}): make a "
        "copy of your own, install -m 600 {} FILE, and use that",
        path, status.st_mode & 07777U, path);
    }
    throw Error(Fault::Refused,
      "the contact file {} holds a secret key, but other users can reach it (mode {:o}). If that "
      "was not intended, restart the server for a new key; then: chmod 600 {}",
      path, status.st_mode & 07777U, path);
  }
  return read;
}
}

namespace
{
// What every version of the file has. Other files may have these of other types, or none of them.
struct Header
{
  std::optional<PlainValue> Format;
  std::optional<PlainValue> Version;
};

void Describe(Fields& fields, Header& header)
{
  fields("Format", header.Format);
  fields("Version", header.Version);
}

void Describe(Fields& fields, Contact& contact)
{
  std::string format = Format;
  int version = FormatVersion;
  std::string note = contact.Guest ? GuestNote : Note;
  fields("Format", format);
  fields("Version", version);
  fields("Note", note);
  fields("Session", contact.Session);
  fields("HostName", contact.HostName);
  fields("Process", contact.Process);
  fields("Started", contact.Started);
  fields("Node", contact.Node);
  fields("Network", contact.Network);
  fields("Endpoints", contact.Endpoints);
  fields("Transports", contact.Transports);
  fields("ServerPublicKey", contact.ServerPublicKey);
  fields("ClientPublicKey", contact.ClientPublicKey);
  std::string key(contact.ClientSecretKey.View());
  fields("ClientSecretKey", key);
  contact.ClientSecretKey = key;
  SecretText::Wipe(key.data(), key.size());
  fields("Guest", contact.Guest);
}

// Empty when the text has none, or is something else altogether.
Header ReadHeader(const std::string& text)
{
  try
  {
    Header header;
    FieldsFromText(
      text, "the contact file", [&](Fields& fields) { Describe(fields, header); },
      Unknown::Ignored);
    return header;
  }
  catch (const Error&)
  {
    return {};
  }
}
}

Contact Contact::OfThisProcess()
{
  const std::time_t now = std::time(nullptr);
  char started[32] = "";
  std::strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  Contact contact;
  contact.Node = NodeIdentity();
  contact.Network = NetworkIdentity();
  contact.HostName = MachineName();
  contact.Process = static_cast<std::uint64_t>(getpid());
  contact.Started = started;
  return contact;
}

std::string Contact::ToText() const
{
  constexpr int indent = 2;
  return TextOfFields(
           [this](Fields& fields) { Describe(fields, const_cast<Contact&>(*this)); }, indent) +
    "\n";
}

Contact Contact::FromText(const std::string& text)
{
  const Header header = ReadHeader(text);
  if (header.Format != PlainValue(std::string(Format)))
  {
    throw Error(Fault::Refused, "this is no contact file of ParaView DSM");
  }
  const PlainValue version = header.Version.value_or(PlainValue());
  if (version != PlainValue(std::int64_t{ FormatVersion }))
  {
    throw Error(Fault::Refused,
      "the contact file has version {} and this library knows version {}: use the same ParaView "
      "DSM on both sides",
      PlainValueText(version), FormatVersion);
  }
  Contact contact;
  FieldsFromText(
    text, "the contact file is damaged", [&](Fields& fields) { Describe(fields, contact); },
    Unknown::Ignored);
  return contact;
}

Contact ReadContact(const std::string& givenPath, const Deadline& deadline)
{
  const std::string path = AbsoluteName(givenPath);
  const Deadline finished(LongestWrite);
  ContactText read = ReadOnce(path);
  while (LooksUnfinished(read.Text) && !finished.Expired() && !deadline.Expired())
  {
    std::this_thread::sleep_for(deadline.Remaining(std::chrono::milliseconds(5)));
    read = ReadOnce(path);
  }
  if (LooksUnfinished(read.Text))
  {
    throw Error(Fault::Refused,
      "the contact file {} is empty or cut short: its server was interrupted while it started. "
      "Start it again, or remove the file",
      path);
  }
  try
  {
    Contact contact = Contact::FromText(read.Text);
    contact.ClientSecretKey = read.Key;
    return contact;
  }
  catch (const Error& error)
  {
    throw Error(error.GetFault(), "{}: {}", path, error.what());
  }
}

}
