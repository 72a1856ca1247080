// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/ServerSearch.h"

#include "Base/Log.h"
#include "Base/TestDelay.h"
#include "Base/Timeouts.h"
#include "Control/Presence.h"
#include "Mpi/Leak.h"
#include "Peer/Connection.h"

#include <atomic>
#include <filesystem>
#include <mutex>
#include <utility>

#include <poll.h>

namespace dsm
{

namespace
{
constexpr std::chrono::milliseconds BetweenLooks(1000);
// A server that has lost hosts answers, and takes no files: it is asked less often.
constexpr std::chrono::milliseconds BetweenQuestions(5000);
// What an exchange with a server may take that has just answered.
constexpr Seconds Exchange(5);
constexpr Seconds LongestEnd(0.5);
}

// What the search and its thread share; the last of the two to end frees it.
class ServerSearch::State
{
public:
  State(std::string contactPath, PeerDescription self, bool known)
    : Path(std::move(contactPath))
    , Process(std::move(self))
    , Known(known)
    , Silence(PeerTimeout())
  {
  }

  std::shared_ptr<Connection> Found() const
  {
    const std::lock_guard lock(this->Guard);
    return this->Result;
  }

  void Stop()
  {
    this->Stopping = true;
    this->Wake.Signal();
  }

  // ---- The thread.

  void Run()
  {
    while (!this->Stopping)
    {
      auto pause = BetweenLooks;
      try
      {
        if (auto found = this->Look())
        {
          if (found->Trouble().empty())
          {
            this->Keep(std::move(found));
            return;
          }
          pause = BetweenQuestions;
        }
      }
      catch (const std::exception& error)
      {
        Log().debug("looking for the server of {}: {}", this->Path, error.what());
      }
      this->Rest(pause);
    }
  }

private:
  std::shared_ptr<Connection> Look()
  {
    if (std::error_code none; !std::filesystem::exists(this->Path, none))
    {
      return nullptr;
    }
    const Contact contact = ReadContact(this->Path, Deadline(Seconds(1)));
    const std::string text = contact.ToText();
    if (text == this->Refusing)
    {
      return nullptr;
    }
    try
    {
      return presence::Answers(contact, this->Path, this->Silence, this->Wake,
               [this] { return this->Stopping.load(); })
        ? Connection::Open(this->Path, this->Process, Deadline(Exchange))
        : nullptr;
    }
    catch (const Error& error)
    {
      if (error.GetFault() == Fault::Refused)
      {
        this->Refusing = text;
      }
      throw;
    }
  }

  void Keep(std::shared_ptr<Connection> found)
  {
    testdelay::At("a server is back");
    const Contact contact = found->GetContact();
    const std::string what = this->Process.Role == "viewer"
      ? std::string()
      : fmt::format(": files go to its memory {}", this->Known ? "again" : "from now on");
    {
      const std::lock_guard lock(this->Guard);
      this->Result = std::move(found);
    }
    // Not before it holds.
    Log().warn("the server of {} is {} (process {} on {}){}", this->Path,
      this->Known ? "back" : "there", contact.Process, contact.HostName, what);
  }

  void Rest(std::chrono::milliseconds pause)
  {
    pollfd woken{ this->Wake.Descriptor(), POLLIN, 0 };
    if (!this->Stopping && poll(&woken, 1, static_cast<int>(pause.count())) > 0)
    {
      this->Wake.Drain();
    }
  }

  const std::string Path;
  const PeerDescription Process;
  const bool Known;
  const Seconds Silence;
  Wakeup Wake;
  std::atomic<bool> Stopping = false;
  std::string Refusing; ///< the contact whose server does not want us; the thread's own

  mutable std::mutex Guard; // for Result
  std::shared_ptr<Connection> Result;
};

ServerSearch::ServerSearch(
  const std::string& contactPath, const PeerDescription& self, const Error& why, bool known)
  : Kind(why.GetFault())
  , Reason(why.what())
  , Shared(std::make_shared<State>(contactPath, self, known))
  , Thread(
      std::make_unique<ServiceThread>("dsm-search", [shared = this->Shared] { shared->Run(); }))
{
}

ServerSearch::~ServerSearch()
{
  if (this->Forked())
  {
    // The thread and what it uses are the parent's.
    Leak(std::move(this->Thread));
    Leak(std::move(this->Shared));
    return;
  }
  this->Shared->Stop();
  this->Thread->Join(LongestEnd);
}

std::shared_ptr<Connection> ServerSearch::Found() const
{
  return this->Shared->Found();
}

}
