// SPDX-License-Identifier: BSD-3-Clause
#include "Session/Matchmaker.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Session/Connection.h"

#include <algorithm>
#include <utility>

namespace dsm
{

namespace
{
// A client that may join does so at once; and an MPI message between living ranks takes no longer.
Seconds MeetingLimit()
{
  return std::min(Seconds(10), RequestTimeout() / 2);
}

// A tag of MPI_COMM_WORLD, which belongs to the programs: near the end of what every MPI has.
int MeetingTag(std::uint64_t link)
{
  return 31000 + static_cast<int>(link % 1000);
}
}

Matchmaker::Matchmaker(MpiOffer offer, Ways ways)
  : WhatIsOffered(std::move(offer))
  , Tell(std::move(ways))
{
}

void Matchmaker::Join(const PeerId& peer, const Json& message)
{
  ChooseMeeting(this->WhatIsOffered, message.at("job").get<JobDescription>());
  if (!this->Stuck.empty())
  {
    throw Error(
      Fault::Unsupported, "the DSM server's hosts cannot be joined over MPI: {}", this->Stuck);
  }
  if (this->Joining)
  {
    this->Queue.push_back({ peer, message, Deadline(RequestTimeout() * 0.9) });
    return;
  }
  this->Begin(peer, message);
}

void Matchmaker::Begin(const PeerId& peer, const Json& message)
{
  const std::uint64_t number = ++this->Last;
  Link link;
  link.Owner = peer;
  link.Client = message.at("job").get<JobDescription>();
  link.How = ChooseMeeting(this->WhatIsOffered, link.Client);
  link.OneSided = message.at("one_sided").get<bool>();
  link.Until = Deadline(MeetingLimit());
  this->Tell.ToHost(0,
    { { "event", "link-meet" }, { "link", number }, { "static", link.How == Meeting::Static },
      { "from", link.Client.Leader }, { "tag", MeetingTag(number) } });
  this->Tell.Reply(peer, message,
    { { "link", number }, { "static", link.How == Meeting::Static },
      { "leader", this->WhatIsOffered.Hosts.Leader }, { "tag", MeetingTag(number) } });
  this->Links[number] = std::move(link);
  this->Joining = number;
}

void Matchmaker::Enter(const PeerId& peer, const Json& message)
{
  const auto number = message.at("link").get<std::uint64_t>();
  const auto found = this->Links.find(number);
  if (found == this->Links.end() || found->second.Owner != peer ||
    found->second.At != Phase::Meeting)
  {
    throw Error(Fault::Refused,
      "the DSM server's hosts no longer wait for this simulation to join them over MPI: it took "
      "more than {:.3g} s",
      MeetingLimit().count());
  }
  found->second.Entry = message;
  if (found->second.HaveMet)
  {
    this->EnterAll(number);
  }
}

void Matchmaker::Met(const Json& message)
{
  const auto number = message.at("link").get<std::uint64_t>();
  const auto found = this->Links.find(number);
  if (found != this->Links.end() && found->second.At == Phase::Meeting)
  {
    found->second.HaveMet = true;
    found->second.Port = message.at("port").get<std::string>();
    if (found->second.Entry)
    {
      this->EnterAll(number);
    }
  }
}

void Matchmaker::EnterAll(std::uint64_t number)
{
  Link& link = this->Links.at(number);
  link.At = Phase::Entering;
  link.Missing = this->WhatIsOffered.Hosts.Ranks;
  this->ToAll(
    { { "event", "link-enter" }, { "link", number }, { "static", link.How == Meeting::Static },
      { "port", this->WhatIsOffered.Port }, { "leader", link.Client.Leader },
      { "tag", MeetingTag(number) }, { "one_sided", link.OneSided } });
  if (const auto entry = std::exchange(link.Entry, std::nullopt))
  {
    this->Tell.Reply(link.Owner, *entry, { { "port", link.Port } });
  }
}

void Matchmaker::Linked(const Json& message)
{
  if (message.value("stuck", false) && this->Stuck.empty())
  {
    this->Stuck = message.at("failure").get<std::string>();
    this->Tell.Report(this->Stuck);
  }
  const auto found = this->Links.find(message.at("link").get<std::uint64_t>());
  if (found == this->Links.end())
  {
    return;
  }
  Link& link = found->second;
  if (const auto failure = message.at("failure").get<std::string>(); !failure.empty())
  {
    // One that did not come in time may be stopped: it learns of this when it goes on.
    this->Tell.Report("joining a simulation over MPI failed: " + failure);
    this->ToAll({ { "event", "link-drop" }, { "link", found->first } });
    this->Links.erase(found);
    this->EndJoining();
    return;
  }
  if (link.Missing == 0)
  {
    return;
  }
  --link.Missing;
  if (link.Missing == 0)
  {
    link.At = Phase::Joined;
    Log().info("joined {} ranks over MPI ({}); {}", link.Client.Ranks,
      link.How == Meeting::Static ? "static" : "dynamic", this->WhatIsOffered.Progress);
    this->EndJoining();
  }
}

void Matchmaker::Leave(const PeerId& peer, const Json& message)
{
  const auto number = message.at("link").get<std::uint64_t>();
  const auto found = this->Links.find(number);
  if (found != this->Links.end() && found->second.Owner == peer)
  {
    this->Links.erase(found);
    this->ToAll({ { "event", "link-leave" }, { "link", number } });
  }
}

void Matchmaker::Gone(const PeerId& peer)
{
  std::erase_if(this->Queue, [&](const Waiting& waiting) { return waiting.Peer == peer; });
  for (auto found = this->Links.begin(); found != this->Links.end();)
  {
    if (found->second.Owner != peer)
    {
      ++found;
      continue;
    }
    const std::uint64_t number = found->first;
    const bool inside = found->second.At == Phase::Entering;
    found = this->Links.erase(found);
    this->ToAll({ { "event", "link-drop" }, { "link", number } });
    if (this->Joining == number)
    {
      if (inside)
      {
        this->Tell.Report("a simulation vanished while it joined the hosts over MPI");
      }
      this->EndJoining();
    }
  }
}

void Matchmaker::Tick()
{
  if (this->Joining && this->Links.count(*this->Joining))
  {
    const std::uint64_t number = *this->Joining;
    Link& link = this->Links.at(number);
    if (link.At == Phase::Meeting && link.Until.Expired())
    {
      if (link.Entry)
      {
        this->Tell.Refuse(link.Owner, *link.Entry,
          Error(Fault::Unsupported,
            "no MPI message from the simulation's rank 0 reached the DSM server's first host "
            "within {:.3g} s. MPI joins them statically only when one launch starts both programs "
            "(mpiexec -n {} PARAVIEW : -n {} SIMULATION); if it did, the hosts' program makes no "
            "MPI call ({}). Or choose the transport fabric",
            MeetingLimit().count(), this->WhatIsOffered.Hosts.Ranks, link.Client.Ranks,
            this->WhatIsOffered.Progress));
      }
      this->Links.erase(number);
      this->ToAll({ { "event", "link-drop" }, { "link", number } });
      this->EndJoining();
    }
  }
  while (!this->Queue.empty() && this->Queue.front().Until.Expired())
  {
    this->Tell.Refuse(this->Queue.front().Peer, this->Queue.front().Request,
      Error(Fault::TimedOut,
        "another simulation has been joining the DSM server's hosts over MPI for more than {:.3g} "
        "s: if it was killed there, restart ParaView's side",
        (RequestTimeout() * 0.9).count()));
    this->Queue.pop_front();
  }
}

void Matchmaker::ToAll(const Json& event)
{
  for (std::uint64_t host = 0; host < this->WhatIsOffered.Hosts.Ranks; ++host)
  {
    this->Tell.ToHost(host, event);
  }
}

// The next one's turn.
void Matchmaker::EndJoining()
{
  this->Joining.reset();
  if (!this->Queue.empty())
  {
    const Waiting next = std::move(this->Queue.front());
    this->Queue.pop_front();
    this->Begin(next.Peer, next.Request);
  }
}

}
