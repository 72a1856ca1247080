// SPDX-License-Identifier: BSD-3-Clause
#include "Client/SteeringLink.h"

#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Log.h"
#include "Base/RandomNumber.h"
#include "Protocol/SessionMessages.h"

#include <filesystem>
#include <utility>

#include <unistd.h>

namespace dsm
{

namespace
{
constexpr Seconds BetweenAttempts(1);
constexpr Seconds PollInterval(0.2); // whether the channel still lives

std::string NewInstance()
{
  return fmt::format("{}-{:016x}", getpid(), RandomNumber());
}
}

SteeringLink::SteeringLink(const std::string& contactPath, PeerDescription process)
  : Path(AbsoluteName(contactPath))
  , Process(std::move(process))
  , Instance(NewInstance())
  , Queues(std::make_shared<SteeringQueues>(
      [this]
      {
        const std::lock_guard lock(this->Guard);
        this->Changed.notify_all();
      }))
{
}

void SteeringLink::End()
{
  {
    const std::lock_guard lock(this->Guard);
    this->Ending = true;
  }
  this->Due.notify_all();
}

void SteeringLink::WaitForAttempt(const Deadline& deadline)
{
  std::unique_lock lock(this->Guard);
  this->Changed.wait_until(lock, deadline.TimePoint(), [this] { return this->Attempted; });
}

void SteeringLink::WaitForNews(const Deadline& deadline)
{
  std::unique_lock lock(this->Guard);
  const bool connected = this->Link != nullptr;
  this->Changed.wait_until(lock, deadline.TimePoint(),
    [&] { return this->Queues->News() || (this->Link != nullptr) != connected; });
}

void SteeringLink::DeclareAnew()
{
  std::unique_lock lock(this->Guard);
  this->MustDeclare = true;
  this->Known = false;
  this->Queues->Detach();
  this->Due.notify_all();
  // So that viewers know the parameter before the step in which it appears is over.
  this->Changed.wait_until(
    lock, Deadline(OneAttempt).TimePoint(), [this] { return this->Known || !this->Link; });
}

std::shared_ptr<Channel> SteeringLink::Connection() const
{
  const std::lock_guard lock(this->Guard);
  return this->Link;
}

Seconds SteeringLink::Disconnected() const
{
  const std::lock_guard lock(this->Guard);
  return this->Link ? Seconds(0) : Seconds(Clock::now() - this->LostAt);
}

// In the channel's thread.
void SteeringLink::Receive(const Envelope& event)
{
  if (Is<DeliverTransactions>(event))
  {
    this->Receive(Content<DeliverTransactions>(event));
  }
  else if (Is<OutcomesAcknowledged>(event))
  {
    this->Queues->Receive(Content<OutcomesAcknowledged>(event));
  }
  else if (event.Name == "stopping" || event.Name == "forgotten")
  {
    this->Due.notify_all(); // the thread looks at once
  }
}

// Arrays are read elsewhere: this thread hears what the server says.
void SteeringLink::Receive(DeliverTransactions delivered)
{
  {
    const bool hasArrays = !this->Queues->ArraysOf(delivered).empty();
    const std::lock_guard lock(this->Guard);
    if (hasArrays || !this->Delivered.empty())
    {
      this->Delivered.push_back(std::move(delivered));
      this->Due.notify_all();
      return;
    }
  }
  this->Queues->Receive(delivered);
}

// Reads arrays before the time loop hears of them. Transactions that come meanwhile wait.
void SteeringLink::FetchArrays()
{
  for (;;)
  {
    DeliverTransactions delivered;
    {
      const std::lock_guard lock(this->Guard);
      if (this->Delivered.empty())
      {
        return;
      }
      delivered = this->Delivered.front();
    }
    std::vector<FetchedArray> fetched;
    for (const std::string& text : this->Queues->ArraysOf(delivered))
    {
      fetched.push_back(FetchFromServer(this->Path, text));
    }
    this->Queues->Receive(delivered, std::move(fetched));
    const std::lock_guard lock(this->Guard);
    this->Delivered.pop_front();
  }
}

// A connection that the server has welcomed; throws otherwise.
std::shared_ptr<Channel> SteeringLink::Connect()
{
  const Deadline deadline(OneAttempt);
  const Contact contact = ReadContact(this->Path, deadline);
  auto link = std::make_shared<Channel>(contact, this->Path,
    [self = this->weak_from_this()](const Envelope& event)
    {
      if (const auto link = self.lock())
      {
        link->Receive(event);
      }
    });
  Hello hello;
  hello.Peer = this->Process;
  this->Adopt(link, link->Request(hello, deadline).Server.Session);
  return link;
}

void SteeringLink::Adopt(const std::shared_ptr<Channel>& link, const std::string& session)
{
  const std::lock_guard lock(this->Guard);
  if (std::exchange(this->Session, session) != session)
  {
    this->Queues->BeginAnew();
  }
  this->Link = link;
  this->Known = false;
  this->MustDeclare = this->Queues->HasDeclared();
  this->Changed.notify_all();
}

void SteeringLink::SendDeclarations(const std::shared_ptr<Channel>& link)
{
  {
    const std::lock_guard lock(this->Guard);
    this->MustDeclare = false;
  }
  DeclareProgram message = this->Queues->Declaration();
  message.Program = this->Process.Program;
  message.Instance = this->Instance;
  link->Request(message, Deadline(OneAttempt));
  const std::lock_guard lock(this->Guard);
  if (!this->MustDeclare)
  {
    this->Queues->Attach(link);
    this->Known = true;
    this->Changed.notify_all();
  }
}

// Waits, also for what wakes the thread. True when all ends.
bool SteeringLink::EndsWithin(Seconds limit, const std::function<bool()>& orUntil)
{
  std::unique_lock lock(this->Guard);
  this->Due.wait_until(
    lock, Deadline(limit).TimePoint(), [&] { return this->Ending || orUntil(); });
  return this->Ending;
}

// Connects, and declares as often as it is due, until the connection breaks or all ends.
void SteeringLink::Serve()
{
  const auto link = this->Connect();
  do
  {
    bool declare = false;
    {
      const std::lock_guard lock(this->Guard);
      declare = this->MustDeclare;
      this->Attempted = true;
      this->Changed.notify_all();
    }
    if (declare)
    {
      this->SendDeclarations(link);
    }
    this->FetchArrays();
  } while (!this->EndsWithin(PollInterval,
             [&] { return this->MustDeclare || !this->Delivered.empty() || !link->Alive(); }) &&
    link->Alive());
}

// Also after an attempt that came to nothing.
void SteeringLink::Lost()
{
  std::shared_ptr<Channel> gone; // says goodbye when the lock is free
  const std::lock_guard lock(this->Guard);
  if (this->Link)
  {
    this->LostAt = Clock::now();
    gone = std::move(this->Link);
    this->Known = false;
    this->Queues->Detach();
  }
  this->Delivered.clear(); // a server delivers again what was not received
  this->Attempted = true;
  this->Changed.notify_all();
}

void SteeringLink::Run()
{
  // Once, however often it fails.
  auto told = [last = std::string()](LogLevel level, const std::string& why) mutable
  {
    if (std::exchange(last, why) != why)
    {
      Log().log(level, "not steered for now: {}", why);
    }
  };
  do
  {
    try
    {
      // A look that costs nothing, where most of the time there is no server.
      if (std::error_code none; std::filesystem::exists(this->Path, none))
      {
        this->Serve();
      }
      else
      {
        told(LogLevel::Info,
          fmt::format("{} is not there; it is looked for once a second", this->Path));
      }
    }
    catch (const std::exception& error)
    {
      // A missing server is ordinary. If the contact file is malformed or belongs to somebody else,
      // a retry does not help.
      const Fault fault = Error::From(error).GetFault();
      const bool ordinary = fault != Fault::Usage && fault != Fault::Refused;
      told(ordinary ? LogLevel::Info : LogLevel::Warning, error.what());
    }
    this->Lost();
  } while (!this->EndsWithin(BetweenAttempts, [] { return false; }));
}

}
