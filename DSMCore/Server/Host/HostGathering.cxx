// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Host/HostGathering.h"

#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/NodeIdentity.h"
#include "Base/OtherProcess.h"
#include "Base/RandomNumber.h"
#include "Base/Timeouts.h"
#include "Control/Channel.h"
#include "Control/Listener.h"
#include "Control/Presence.h"
#include "Mpi/Communicator.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include <fmt/ranges.h>
#include <unistd.h>

namespace dsm
{

namespace
{
constexpr std::chrono::milliseconds BetweenTries(50);
// A host that waits for the others asks again, so that it sees when host 0 has ended.
constexpr Seconds BetweenQuestions(2);
// Host 0 stays so long for a host that has not heard its last answer.
constexpr Seconds LongestFarewell(10);

/// The reply to Contribute: the texts of all hosts in one round, by their numbers.
struct GatheredTexts
{
  std::uint64_t Round = 0;
  std::vector<std::string> Texts;
};

void Describe(Fields& fields, GatheredTexts& texts)
{
  fields("Round", texts.Round);
  fields("Texts", texts.Texts);
}

/// Gives a host's text of a round, and asks for those of all.
struct Contribute
{
  static constexpr const char* Name = "contribute";
  using Reply = GatheredTexts;

  std::string Launch;
  std::uint64_t Host = 0;
  std::uint64_t Hosts = 0;
  std::uint64_t Identity = 0; ///< of the process, which may connect again
  std::string Node;
  std::uint64_t Process = 0;
  std::uint64_t Round = 0;
  std::string Text;
};

void Describe(Fields& fields, Contribute& said)
{
  fields("Launch", said.Launch);
  fields("Host", said.Host);
  fields("Hosts", said.Hosts);
  fields("Identity", said.Identity);
  fields("Node", said.Node);
  fields("Process", said.Process);
  fields("Round", said.Round);
  fields("Text", said.Text);
}

std::string AddressFile(const std::string& contactPath)
{
  return contactPath + ".hosts";
}

/// The collectives, made of one: each says a text, and all learn what all have said.
class TextGroup : public RankGroup
{
public:
  TextGroup(HostPlace place, std::function<bool()> isStopped)
    : Place(std::move(place))
    , IsStopped(std::move(isStopped))
  {
  }

  int Rank() const override { return this->Place.Host; }
  int Size() const override { return this->Place.Hosts; }
  void Barrier() const override { this->AllGatherText({}); }

  std::string BroadcastText(const std::string& text, int root) const override
  {
    auto all = this->AllGatherText(this->Rank() == root ? text : std::string());
    return std::move(all.at(static_cast<std::size_t>(root)));
  }

  std::uint64_t Max(std::uint64_t value) const override
  {
    std::uint64_t most = value;
    for (const std::string& text : this->AllGatherText(std::to_string(value)))
    {
      most = std::max<std::uint64_t>(most, std::stoull(text));
    }
    return most;
  }

  // A thread that waits here takes no core.
  void BroadcastYielding(
    void* data, std::uint64_t bytes, const std::function<void()>& /*rest*/) const override
  {
    const std::string mine(static_cast<const char*>(data), bytes);
    const std::string text = this->BroadcastText(mine, 0);
    std::memcpy(data, text.data(), std::min<std::size_t>(text.size(), bytes));
  }

protected:
  const HostPlace Place;
  const std::function<bool()> IsStopped;
};

/// Host 0, to which the others speak.
class FirstHost final : public TextGroup
{
public:
  FirstHost(const std::string& contactPath, const HostPlace& place, Seconds limit,
    std::function<bool()> isStopped)
    : TextGroup(place, std::move(isStopped))
    , Hosts(static_cast<std::size_t>(place.Hosts))
  {
    Contact contact = Contact::OfThisProcess();
    Listener::Handler handler;
    handler.Received = [this](const RequestId& request, const Envelope& message)
    { this->Receive(request, Content<Contribute>(message)); };
    handler.Gone = [this](const PeerId& peer, bool) { this->NoteLost(peer); };
    this->Incoming = std::make_unique<Listener>(contact, std::move(handler));
    const ContactFile file(AddressFile(contactPath), contact);
    this->Gather({}, Deadline(limit));
  }

  std::vector<std::string> AllGatherText(const std::string& text) const override
  {
    return this->Gather(text, std::nullopt);
  }

  // A host lets its channel go when it has the last answer.
  void Free() override
  {
    std::unique_lock lock(this->Guard);
    const auto others = std::span(this->Hosts).subspan(1);
    this->Changed.wait_for(lock, LongestFarewell,
      [&]
      {
        return std::all_of(others.begin(), others.end(),
          [](const OtherHostState& other) { return other.LostSince || !other.Identity; });
      });
  }

private:
  /// Another host, as host 0 knows it.
  struct OtherHostState
  {
    std::optional<std::uint64_t> Identity;
    PeerId Peer;
    std::string Node;
    std::uint64_t Process = 0;
    std::optional<Clock::time_point> LostSince; ///< since when its connection is lost
    std::optional<std::string> Text;            ///< in this round
    RequestId Asked;
  };

  void Receive(const RequestId& request, Contribute said)
  {
    if (said.Launch != this->Place.Launch ||
      said.Hosts != static_cast<std::uint64_t>(this->Place.Hosts) || said.Host == 0 ||
      said.Host >= said.Hosts)
    {
      throw Error(Fault::Refused, "host {} of {} is none of this launch, which has {} hosts",
        said.Host, said.Hosts, this->Place.Hosts);
    }
    const std::lock_guard lock(this->Guard);
    OtherHostState& other = this->Hosts[said.Host];
    if (other.Identity.value_or(said.Identity) != said.Identity)
    {
      throw Error(Fault::Usage, "there are two hosts {} of {}", said.Host, said.Hosts);
    }
    other.Identity = said.Identity;
    other.Peer = request.Peer;
    other.Node = said.Node;
    other.Process = said.Process;
    other.LostSince.reset();
    if (said.Round < this->Round)
    {
      this->Incoming->Reply(request, this->Last); // it has not heard the answer
      return;
    }
    other.Text = std::move(said.Text);
    other.Asked = request;
    this->Changed.notify_all();
  }

  void NoteLost(const PeerId& peer)
  {
    const std::lock_guard lock(this->Guard);
    for (OtherHostState& other : this->Hosts)
    {
      if (other.Identity && other.Peer == peer)
      {
        other.LostSince = Clock::now();
      }
    }
    this->Changed.notify_all();
  }

  // Numbers of those who have not spoken in this round.
  std::vector<std::size_t> Missing() const
  {
    std::vector<std::size_t> missing;
    for (std::size_t host = 1; host < this->Hosts.size(); ++host)
    {
      if (!this->Hosts[host].Text)
      {
        missing.push_back(host);
      }
    }
    return missing;
  }

  // A host that was stopped comes back. On another node one cannot tell.
  bool HasEnded(const OtherHostState& other) const
  {
    return other.LostSince &&
      (other.Node == NodeIdentity() ? ProcessHasEnded(other.Process)
                                    : Clock::now() - *other.LostSince > RequestTimeout());
  }

  void RequireNoneEnded(const std::vector<std::size_t>& missing) const
  {
    for (const std::size_t host : missing)
    {
      if (this->HasEnded(this->Hosts[host]))
      {
        throw Error(Fault::PeerLost, "host {} of {} has ended", host, this->Place.Hosts);
      }
    }
  }

  // Waits for the others until a limit; without one, as long as they may come.
  void AwaitAll(std::unique_lock<std::mutex>& lock, const std::optional<Deadline>& limit) const
  {
    std::optional<Deadline> deadline = limit;
    bool ends = false; // this process shall end, which it does with the others if they answer
    for (auto missing = this->Missing(); !missing.empty(); missing = this->Missing())
    {
      this->RequireNoneEnded(missing);
      if (!ends && this->IsStopped())
      {
        ends = true;
        deadline = Deadline(limit ? Seconds(0) : PeerTimeout());
      }
      if (deadline && deadline->Expired())
      {
        throw Error(Fault::TimedOut,
          "of {} hosts these have not come within {:.3g} s: {}. Start all of them with the same "
          "contact file, in a folder that all see; if other programs are part of the job, start "
          "each with dsm-mpmd",
          this->Place.Hosts, deadline->LimitInSeconds(), fmt::join(missing, ", "));
      }
      this->Changed.wait_for(lock, BetweenTries);
    }
  }

  std::vector<std::string> Gather(
    const std::string& text, const std::optional<Deadline>& deadline) const
  {
    std::unique_lock lock(this->Guard);
    this->AwaitAll(lock, deadline);
    GatheredTexts texts{ this->Round, { text } };
    const auto others = std::span(this->Hosts).subspan(1);
    for (OtherHostState& other : others)
    {
      texts.Texts.push_back(std::exchange(other.Text, std::nullopt).value_or(std::string()));
    }
    for (const OtherHostState& other : others)
    {
      this->Incoming->Reply(other.Asked, texts);
    }
    ++this->Round;
    this->Last = texts;
    return texts.Texts;
  }

  mutable std::mutex Guard;
  mutable std::condition_variable Changed;
  mutable std::vector<OtherHostState> Hosts; ///< by host; the first is this one's and stays empty
  mutable std::uint64_t Round = 0;
  mutable GatheredTexts Last;
  std::unique_ptr<Listener> Incoming; ///< ends first
};

/// Any other host.
class OtherHost final : public TextGroup
{
public:
  OtherHost(const std::string& contactPath, const HostPlace& place, Seconds limit,
    std::function<bool()> isStopped)
    : TextGroup(place, std::move(isStopped))
    , Path(AddressFile(contactPath))
  {
    std::string why = "it is not there";
    for (const Deadline deadline(limit); !this->Find(why);)
    {
      if (deadline.Expired() || this->IsStopped())
      {
        throw Error(Fault::TimedOut,
          "host {} of {} has not found host 0 within {:.3g} s by {} ({}): start all hosts with the "
          "same contact file, in a folder that all see; if other programs are part of the job, "
          "start each with dsm-mpmd",
          place.Host, place.Hosts, limit.count(), this->Path, why);
      }
      std::this_thread::sleep_for(BetweenTries);
    }
  }

  std::vector<std::string> AllGatherText(const std::string& text) const override
  {
    Contribute said;
    said.Launch = this->Place.Launch;
    said.Host = static_cast<std::uint64_t>(this->Place.Host);
    said.Hosts = static_cast<std::uint64_t>(this->Place.Hosts);
    said.Identity = this->Identity;
    said.Node = NodeIdentity();
    said.Process = static_cast<std::uint64_t>(getpid());
    said.Round = this->Round;
    said.Text = text;
    for (;;)
    {
      try
      {
        auto texts = this->Link->Request(said, Deadline(BetweenQuestions));
        ++this->Round;
        return std::move(texts.Texts);
      }
      catch (const Error& error)
      {
        this->RequireFirst(error);
      }
    }
  }

  void Free() override { this->Link.reset(); }

private:
  // Returns false if host 0 does not answer yet. If the host 0 of another launch answers, stores
  // its refusal in `why`, and keeps it when that host ends. Ignores the address of a killed host 0.
  bool Find(std::string& why)
  {
    try
    {
      this->First = ReadContact(this->Path, Deadline(Seconds(1)));
      this->Link = std::make_unique<Channel>(this->First, this->Path);
      this->AllGatherText({});
      return true;
    }
    catch (const Error& error)
    {
      if (error.GetFault() == Fault::Usage)
      {
        throw;
      }
      if (error.GetFault() != Fault::NoServer && error.GetFault() != Fault::PeerLost)
      {
        why = error.what();
      }
      return false;
    }
  }

  // Behind a question that was not answered: host 0 may wait for others, or was suspended.
  void RequireFirst(const Error& error) const
  {
    if (error.GetFault() == Fault::Usage || error.GetFault() == Fault::Refused)
    {
      throw Error(error.GetFault(), error.what());
    }
    if (presence::HasEnded(this->First))
    {
      throw Error(Fault::PeerLost, "host 0 of {} has ended, and host {} ends as well",
        this->Place.Hosts, this->Place.Host);
    }
    if (error.GetFault() == Fault::TimedOut)
    {
      return;
    }
    if (this->IsStopped())
    {
      throw Error(Fault::PeerLost, "host 0 of {} does not answer, and host {} shall end",
        this->Place.Hosts, this->Place.Host);
    }
    this->Link = std::make_unique<Channel>(this->First, this->Path);
  }

  const std::string Path;
  const std::uint64_t Identity = RandomNumber();
  Contact First;
  mutable std::unique_ptr<Channel> Link;
  mutable std::uint64_t Round = 0;
};
}

std::shared_ptr<RankGroup> GatherHosts(const std::string& contactPath, const HostPlace& place,
  Seconds limit, std::function<bool()> isStopped)
{
  const std::string path = AbsoluteName(contactPath);
  if (place.Hosts == 1)
  {
    return std::make_shared<Communicator>(Communicator::Single());
  }
  if (place.Host == 0)
  {
    return std::make_shared<FirstHost>(path, place, limit, std::move(isStopped));
  }
  return std::make_shared<OtherHost>(path, place, limit, std::move(isStopped));
}

}
