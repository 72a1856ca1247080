// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/RescueLink.h"

#include "Base/DetachedProcess.h"
#include "Base/Error.h"
#include "Base/Log.h"
#include "Base/NodeIdentity.h"
#include "Peer/Connection.h"

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dsm
{

RescueLink::RescueLink(Server& server, const std::string& folder, const std::string& rescuer)
  : Hosts(server)
{
  const auto& hosts = server.Description()->Hosts;
  if (!std::all_of(hosts.begin(), hosts.end(),
        [](const HostDescription& host) { return host.Node == NodeIdentity(); }))
  {
    Log().info("hosts are on several nodes: what is not yet saved when they are killed is lost");
    return;
  }
  try
  {
    this->Start(folder, rescuer);
  }
  catch (const std::exception& error)
  {
    Log().warn("{}: what is not yet saved when this server is killed is lost", error.what());
    return;
  }
  server.OnSealed(
    [this](const SnapshotDescription& snapshot) { this->Tell(RescueSnapshot{ snapshot }); });
}

RescueLink::~RescueLink()
{
  this->Hosts.OnSealed({});
  this->Socket.reset();
  if (this->Process > 0)
  {
    waitpid(this->Process, nullptr, WNOHANG);
  }
}

void RescueLink::Start(const std::string& folder, const std::string& rescuer)
{
  int ends[2] = { -1, -1 };
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
  {
    throw Error(Fault::System, "cannot make a socket for dsm-rescue: {}", SystemText(errno));
  }
  auto mine = std::make_unique<FileDescriptor>(ends[0]);
  const FileDescriptor theirs(ends[1]);
  const std::string contact = this->Hosts.ContactPath();
  this->Process =
    StartDetached({ rescuer, contact }, PresentEnvironment(), "/dev/null", theirs.Get());
  this->Socket = std::move(mine);
  this->Tell(RescueServer{ *this->Hosts.Description(), contact, folder });
}

void RescueLink::Done(SnapshotId number, bool onDisk)
{
  this->Tell(SnapshotSaved{ number, onDisk });
}

template <typename Message>
void RescueLink::Tell(const Message& message)
{
  const std::lock_guard lock(this->Guard);
  if (this->Socket)
  {
    this->Unsent.push_back(rescue::Packet(message));
    this->Send();
  }
}

// What fits now; this must not wait.
void RescueLink::Send()
{
  while (!this->Unsent.empty())
  {
    const Bytes& next = this->Unsent.front();
    if (send(this->Socket->Get(), next.data(), next.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
    {
      if (errno == EMSGSIZE)
      {
        Log().warn(
          "where a snapshot's bytes are does not fit a message to dsm-rescue: if it is not "
          "yet saved when this server is killed, it is lost");
        this->Unsent.pop_front();
        continue;
      }
      if (errno != EAGAIN && errno != EINTR)
      {
        Log().warn("dsm-rescue has ended ({}): what is not yet saved when this server is killed is "
                   "lost",
          SystemText(errno));
        this->Socket.reset();
        this->Unsent.clear();
      }
      return;
    }
    this->Unsent.pop_front();
  }
}

std::optional<RescueEnded> RescueLink::End(const Deadline& deadline)
{
  this->Hosts.OnSealed({});
  this->Tell(EndRescue());
  const std::lock_guard lock(this->Guard);
  while (this->Socket && !this->Unsent.empty() && !deadline.Expired())
  {
    pollfd writable{ this->Socket->Get(), POLLOUT, 0 };
    poll(&writable, 1, static_cast<int>(deadline.Remaining().count()));
    this->Send();
  }
  const auto answer = this->Socket ? this->Answer(deadline) : std::nullopt;
  if (!answer || !Is<RescueEnded>(*answer))
  {
    return std::nullopt;
  }
  this->Socket.reset();
  auto ended = Content<RescueEnded>(*answer);
  if (!ended.GoesOn)
  {
    waitpid(std::exchange(this->Process, 0), nullptr, 0);
  }
  return ended;
}

std::optional<Envelope> RescueLink::Answer(const Deadline& deadline) const
{
  pollfd readable{ this->Socket->Get(), POLLIN, 0 };
  if (poll(&readable, 1, static_cast<int>(deadline.Remaining().count())) <= 0)
  {
    return std::nullopt;
  }
  return rescue::Receive(this->Socket->Get());
}

}
