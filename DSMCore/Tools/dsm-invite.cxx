// SPDX-License-Identifier: BSD-3-Clause
// dsm-invite: lets others look at a run, or look and steer, with contact files of their own; lists
// them, and withdraws what it gave.
#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Timeouts.h"
#include "Control/Channel.h"
#include "Control/KeyPair.h"
#include "Protocol/GuestMessages.h"
#include "Protocol/Peer.h"
#include "Protocol/SessionMessages.h"
#include "Tools/CommandLine.h"

#include <fmt/format.h>

#include <grp.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string>
#include <utility>

namespace
{
struct Options
{
  std::string Contact = dsm::environment::Text("DSM_CONTACT").value_or("run.dsm");
  std::string View;
  std::string Steer;
  std::string Name;
  std::string Group;
  std::string Withdraw;
  bool List = false;
};

// The owner's link to the server.
class Owner
{
public:
  explicit Owner(const std::string& contact)
    : Path(dsm::AbsoluteName(contact))
    , Until(dsm::RequestTimeout())
    , Address(dsm::ReadContact(this->Path, this->Until))
    , Link(this->Address, this->Path)
  {
    dsm::Hello hello;
    hello.Peer = this->Self;
    this->Link.Request(hello, this->Until);
  }

  template <typename Message>
  typename Message::Reply Ask(const Message& message)
  {
    return this->Link.Request(message, this->Until);
  }

  const dsm::Contact& GetContact() const { return this->Address; }
  const dsm::PeerDescription& Process() const { return this->Self; }

private:
  const dsm::PeerDescription Self = dsm::DescribeThisProcess("viewer", 1, {});
  const std::string Path;
  const dsm::Deadline Until;
  const dsm::Contact Address;
  dsm::Channel Link;
};

std::optional<gid_t> GroupOf(const std::string& name)
{
  if (name.empty())
  {
    return std::nullopt;
  }
  const group* found = getgrnam(name.c_str());
  if (!found)
  {
    throw dsm::Error(dsm::Fault::Usage, "there is no group \"{}\" here", name);
  }
  return found->gr_gid;
}

void Invite(Owner& owner, const Options& options, dsm::Right right, const std::string& file)
{
  if (options.Name.empty())
  {
    throw dsm::Error(dsm::Fault::Usage, "say who is invited: --name");
  }
  const auto keys = dsm::KeyPair::New();
  dsm::Contact contact = owner.GetContact();
  contact.ClientPublicKey = keys.Public;
  contact.ClientSecretKey = keys.Secret;
  contact.Guest = options.Name;
  const auto group = GroupOf(options.Group);
  owner.Ask(dsm::InviteGuest{ options.Name, right, keys.Public });
  if (file == "-")
  {
    std::fputs(contact.ToText().c_str(), stdout);
    return;
  }
  try
  {
    dsm::WriteContact(file, contact, group);
  }
  catch (const dsm::Error&)
  {
    owner.Ask(dsm::WithdrawGuest{ options.Name });
    throw;
  }
  std::printf("%s may %s with %s\n", options.Name.c_str(),
    right == dsm::Right::Steer ? "look and steer" : "look", file.c_str());
}

std::string TimeText(double seconds)
{
  const auto time = static_cast<std::time_t>(seconds);
  char text[32] = "";
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", std::localtime(&time));
  return text;
}

void List(Owner& owner)
{
  const auto list = owner.Ask(dsm::ListGuests());
  for (const auto& guest : list.Guests)
  {
    const auto connections = std::count_if(list.Connected.begin(), list.Connected.end(),
      [&](const auto& peer) { return guest.Withdrawn == 0 && peer.Guest == guest.Guest; });
    std::printf("%-20s %-14s invited %s  %s\n", guest.Guest.c_str(),
      guest.May == dsm::Right::Steer ? "look and steer" : "look", TimeText(guest.Invited).c_str(),
      (guest.Withdrawn == 0 ? fmt::format("{} connected", connections)
                            : "withdrawn " + TimeText(guest.Withdrawn))
        .c_str());
  }
  if (list.Guests.empty())
  {
    std::printf("nobody is invited\n");
  }
  std::printf("connected now:\n");
  for (const auto& peer : list.Connected)
  {
    if (peer.Process != owner.Process())
    {
      std::printf("  %-20s since %s  %s\n", peer.Guest.empty() ? "(owner)" : peer.Guest.c_str(),
        TimeText(peer.Since).c_str(), dsm::PeerText(peer.Process).c_str());
    }
  }
}

void Withdraw(Owner& owner, const std::string& name)
{
  const auto ended = owner.Ask(dsm::WithdrawGuest{ name }).Connections;
  std::printf("%s is not invited any more; %llu connection%s ended\n", name.c_str(),
    static_cast<unsigned long long>(ended), ended == 1 ? "" : "s");
}

int Run(int argc, char** argv)
{
  Options options;
  dsm::CommandLine app("dsm-invite",
    "Invites others to a running server: to look at its snapshots, or to look and steer.\n"
    "Each guest has a contact file with a key of its own, which can be withdrawn, and is named by "
    "it in the steering log.\n"
    "Example: dsm-invite --view ada.dsm --contact run.dsm --name ada\n\n"
    "An invitation holds a secret key, so its file is yours alone (mode 600), and programs refuse "
    "one that others can read. To hand it over, give it to the guest in a way that nobody else can "
    "read:\n"
    "  dsm-invite --view - --name ada | ssh ada@node7 'umask 077; cat > run.dsm'\n"
    "or let the guest, in a group with you, make a copy of its own:\n"
    "  dsm-invite --view /shared/ada.dsm --group project --name ada\n"
    "  install -m 600 /shared/ada.dsm ~/run.dsm      (which the guest types)\n"
    "Whoever has a copy is that guest.");
  app.add_option("--contact", options.Contact, "the server's own contact file (DSM_CONTACT)")
    ->capture_default_str();
  auto* what = app.add_option_group("what to do");
  auto* view = what->add_option(
    "--view", options.View, "FILE: write an invitation to look there; -: to standard output");
  auto* steer = what->add_option(
    "--steer", options.Steer, "FILE: an invitation to look and steer; -: to standard output");
  what->add_flag("--list", options.List, "show who was invited, and who is connected now");
  what->add_option(
    "--withdraw", options.Withdraw, "NAME: that guest's connections end, and new ones are refused");
  what->require_option(1);
  app.add_option("--name", options.Name, "who is invited: letters, digits, and . _ @ -");
  app.add_option("--group", options.Group,
    "whose members may read the file, to make copies of their own (mode 640)");
  CLI11_PARSE(app, argc, argv);
  Owner owner(options.Contact);
  if (options.List)
  {
    List(owner);
  }
  else if (!options.Withdraw.empty())
  {
    Withdraw(owner, options.Withdraw);
  }
  else if (view->count() > 0)
  {
    Invite(owner, options, dsm::Right::Look, options.View);
  }
  else if (steer->count() > 0)
  {
    Invite(owner, options, dsm::Right::Steer, options.Steer);
  }
  return 0;
}

}

int main(int argc, char** argv)
{
  try
  {
    return Run(argc, argv);
  }
  catch (const std::exception& error)
  {
    std::fprintf(stderr, "dsm-invite: %s\n", error.what());
    return 1;
  }
}
