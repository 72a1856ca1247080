// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Base/Error.h"
#include "Control/Channel.h"
#include "Control/Listener.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <unistd.h>

namespace dsm::testing
{

/// A folder of its own for a test, removed at its end.
class TemporaryFolder
{
public:
  TemporaryFolder()
  {
    std::string pattern = (std::filesystem::temp_directory_path() / "dsm-test-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
    {
      throw Error(Fault::System, "cannot make a temporary folder");
    }
    this->Path = pattern;
  }
  ~TemporaryFolder()
  {
    std::error_code ignored;
    std::filesystem::remove_all(this->Path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string File(const std::string& name) const { return (this->Path / name).string(); }

private:
  std::filesystem::path Path;
};

/// A value that several threads change and one waits for, with a limit.
template <typename T>
class Watched
{
public:
  template <typename Function>
  void Change(Function&& function)
  {
    const std::lock_guard<std::mutex> lock(this->Guard);
    function(this->Value);
    this->Changed.notify_all();
  }

  template <typename Predicate>
  bool WaitFor(Predicate&& predicate, double seconds = 60)
  {
    std::unique_lock<std::mutex> lock(this->Guard);
    return this->Changed.wait_until(
      lock, Deadline(Seconds(seconds)).TimePoint(), [&] { return predicate(this->Value); });
  }

  T Get()
  {
    const std::lock_guard<std::mutex> lock(this->Guard);
    return this->Value;
  }

private:
  std::mutex Guard;
  std::condition_variable Changed;
  T Value{};
};

/// Sets DSM_PEER_TIMEOUT while it lives.
class ShortPeerTimeout
{
public:
  explicit ShortPeerTimeout(const char* seconds) { setenv("DSM_PEER_TIMEOUT", seconds, 1); }
  ~ShortPeerTimeout() { unsetenv("DSM_PEER_TIMEOUT"); }
  ShortPeerTimeout(const ShortPeerTimeout&) = delete;
  ShortPeerTimeout& operator=(const ShortPeerTimeout&) = delete;
};

inline Contact ContactOfThisProcess()
{
  Contact contact = Contact::OfThisProcess();
  contact.Session = "test";
  contact.HostName = "here";
  contact.Started = "2026-11-21T01:02:03Z";
  return contact;
}

/// Runs `function`, which must throw an Error of this kind, and returns its text.
template <typename Function>
std::string TextOf(Fault fault, Function&& function)
{
  try
  {
    function();
  }
  catch (const Error& error)
  {
    EXPECT_STREQ(FaultName(error.GetFault()), FaultName(fault)) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "expected an error of kind " << FaultName(fault);
  return "";
}

/// \name Messages of these tests
///@{
struct EchoReply
{
  std::string Said;
};

/// Answered by what it says, where a test answers it.
struct EchoRequest
{
  static constexpr const char* Name = "hello";
  using Reply = EchoReply;

  std::string Say;
};

/// Answered by nobody.
struct NeverAnswered
{
  static constexpr const char* Name = "begin";
  using Reply = Nothing;
};

struct TestEvent
{
  static constexpr const char* Name = "note";

  std::int64_t Number = 0;
};

inline void Describe(Fields& fields, EchoReply& reply)
{
  fields("Said", reply.Said);
}
inline void Describe(Fields& fields, EchoRequest& request)
{
  fields("Say", request.Say);
}
inline void Describe(Fields&, NeverAnswered&) {}
inline void Describe(Fields& fields, TestEvent& event)
{
  fields("Number", event.Number);
}
///@}

/// A listener whose answers may use it: they may be called before its constructor returns.
class TestServer
{
public:
  using Answer = std::function<void(Listener&, const RequestId&, const Envelope&)>;

  TestServer(Contact& contact, Answer answer, std::function<void(const PeerId&, bool)> gone = {},
    std::function<void()> tick = {}, std::byte* mailboxes = nullptr)
  {
    const std::lock_guard<std::mutex> lock(this->Guard);
    this->Server = std::make_unique<Listener>(contact,
      Listener::Handler{
        [this, answer = std::move(answer)](const RequestId& request, const Envelope& message)
        {
          Listener* server = nullptr;
          {
            const std::lock_guard<std::mutex> ready(this->Guard);
            server = this->Server.get();
          }
          if (answer && server)
          {
            answer(*server, request, message);
          }
        },
        std::move(gone), std::move(tick) },
      mailboxes);
  }
  ~TestServer() { this->Stop(); }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  Listener& operator*() { return *this->Server; }
  Listener* operator->() { return this->Server.get(); }

  void Stop()
  {
    std::unique_ptr<Listener> ending;
    {
      const std::lock_guard<std::mutex> lock(this->Guard);
      ending = std::move(this->Server);
    }
  }

private:
  std::mutex Guard;
  std::unique_ptr<Listener> Server;
};

/// What happens at once has happened by then, also on a machine that has ten other things to do;
/// what waits for a request's limit (20 s and more in the tests that use this) has not.
constexpr double AtOnce = 15;

inline double SecondsSince(Clock::time_point begin)
{
  return Seconds(Clock::now() - begin).count();
}

/// The shortest time in seconds that something took, which is tried again up to ten times where it
/// took longer than `enough`: a machine with other things to do makes everything late now and then,
/// and what waits by itself does so each time.
inline double Quickest(double enough, const std::function<double()>& measure)
{
  double quickest = measure();
  for (int more = 0; more < 9 && quickest >= enough; ++more)
  {
    quickest = std::min(quickest, measure());
  }
  return quickest;
}

inline bool Contains(const std::string& text, const std::string& part)
{
  return text.find(part) != std::string::npos;
}

}
