// SPDX-License-Identifier: BSD-3-Clause
#include "Control/ContactFile.h"

#include "Base/Error.h"
#include "Base/FileName.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cerrno>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dsm
{

namespace
{
constexpr const char* Format = "ParaView DSM contact";
constexpr int FormatVersion = 1;

// A contact file is written in one go in microseconds; over a network file system its content may
// come a moment after its name. What is still incomplete then never will be complete.
constexpr std::chrono::milliseconds LongestWrite(2000);

// An open file that closes itself.
struct File
{
  int Descriptor;
  ~File()
  {
    if (this->Descriptor >= 0)
    {
      close(this->Descriptor);
    }
  }
};

std::string ReadAll(int descriptor, const std::string& path)
{
  // No contact file is larger; a user's data file named by mistake may be.
  constexpr std::size_t largest = 1 << 20;
  std::string text;
  std::array<char, 4096> piece;
  while (text.size() < largest)
  {
    const ssize_t got = read(descriptor, piece.data(), piece.size());
    if (got == 0)
    {
      break;
    }
    if (got > 0)
    {
      text.append(piece.data(), static_cast<std::size_t>(got));
    }
    else if (errno != EINTR)
    {
      throw Error(Fault::Refused, "cannot read the contact file {}: {}", path, SystemText(errno));
    }
  }
  return text;
}

// True for what may be the beginning of a contact file, or nothing yet.
bool LooksUnfinished(const std::string& text)
{
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string::npos || (text[first] == '{' && !nlohmann::json::accept(text));
}

std::string ReadOnce(const std::string& path)
{
  const File file{ open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK) };
  if (file.Descriptor < 0)
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
      "server can read it",
      path, SystemText(errno));
  }
  struct stat status = {};
  if (fstat(file.Descriptor, &status) != 0)
  {
    throw Error(Fault::Refused, "cannot examine the contact file {}: {}", path, SystemText(errno));
  }
  if (!S_ISREG(status.st_mode))
  {
    throw Error(Fault::Refused, "{} is no regular file, so no contact file", path);
  }
  std::string text = ReadAll(file.Descriptor, path);
  // Asked after the content is known to be ours: nobody should be told to chmod a data file.
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0 && text.find(Format) != std::string::npos)
  {
    throw Error(Fault::Refused,
      "the contact file {} holds a secret key, but other users can reach it (mode {:o}). If that "
      "was not intended, restart the server for a new key; then: chmod 600 {}",
      path, status.st_mode & 07777U, path);
  }
  return text;
}
}

std::string Contact::ToText() const
{
  nlohmann::ordered_json json;
  json["Format"] = Format;
  json["Version"] = FormatVersion;
  json["Note"] =
    "Names a running ParaView DSM server and holds the key to it: keep it to yourself. "
    "The server removes it at its end.";
  json["Session"] = this->Session;
  json["HostName"] = this->HostName;
  json["Process"] = this->Process;
  json["Started"] = this->Started;
  json["Node"] = this->Node;
  json["Endpoints"] = this->Endpoints;
  json["Transports"] = this->Transports;
  json["ServerPublicKey"] = this->ServerPublicKey;
  json["ClientPublicKey"] = this->ClientPublicKey;
  json["ClientSecretKey"] = this->ClientSecretKey;
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Contact Contact::FromText(const std::string& text)
{
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || json.value("Format", nlohmann::json()) != Format)
  {
    throw Error(Fault::Refused, "this is no contact file of ParaView DSM");
  }
  if (json.value("Version", nlohmann::json()) != FormatVersion)
  {
    throw Error(Fault::Refused,
      "the contact file has version {} and this library knows version {}: use the same ParaView "
      "DSM "
      "on both sides",
      json.value("Version", nlohmann::json()).dump(), FormatVersion);
  }
  try
  {
    Contact contact;
    json.at("Session").get_to(contact.Session);
    json.at("Endpoints").get_to(contact.Endpoints);
    json.at("ServerPublicKey").get_to(contact.ServerPublicKey);
    json.at("ClientPublicKey").get_to(contact.ClientPublicKey);
    json.at("ClientSecretKey").get_to(contact.ClientSecretKey);
    json.at("Node").get_to(contact.Node);
    json.at("HostName").get_to(contact.HostName);
    json.at("Process").get_to(contact.Process);
    json.at("Started").get_to(contact.Started);
    json.at("Transports").get_to(contact.Transports);
    return contact;
  }
  catch (const nlohmann::json::exception& error)
  {
    throw Error(Fault::Refused, "the contact file is damaged: {}", error.what());
  }
}

Contact ReadContact(const std::string& givenPath, const Deadline& deadline)
{
  const std::string path = AbsoluteName(givenPath);
  const Deadline finished(LongestWrite);
  std::string text = ReadOnce(path);
  while (LooksUnfinished(text) && !finished.Expired() && !deadline.Expired())
  {
    std::this_thread::sleep_for(deadline.Remaining(std::chrono::milliseconds(5)));
    text = ReadOnce(path);
  }
  if (LooksUnfinished(text))
  {
    throw Error(Fault::Refused,
      "the contact file {} is empty or cut short: its server was interrupted while it started. "
      "Start it again, or remove the file",
      path);
  }
  try
  {
    return Contact::FromText(text);
  }
  catch (const Error& error)
  {
    throw Error(error.GetFault(), "{}: {}", path, error.what());
  }
}

}
