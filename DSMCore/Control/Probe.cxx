// SPDX-License-Identifier: BSD-3-Clause
#include "Control/Probe.h"

#include "Base/Error.h"
#include "Control/Wakeup.h"

#include <cerrno>
#include <memory>
#include <utility>

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace dsm
{

namespace
{
constexpr const char* Scheme = "tcp://";

struct HostAndPort
{
  std::string Host, Port;
};

std::optional<HostAndPort> Split(const std::string& endpoint)
{
  const std::size_t colon = endpoint.rfind(':');
  const std::size_t begin = std::char_traits<char>::length(Scheme);
  if (endpoint.rfind(Scheme, 0) != 0 || colon == std::string::npos || colon <= begin)
  {
    return std::nullopt;
  }
  HostAndPort parts{ endpoint.substr(begin, colon - begin), endpoint.substr(colon + 1) };
  if (parts.Host.size() > 2 && parts.Host.front() == '[' && parts.Host.back() == ']')
  {
    parts.Host = parts.Host.substr(1, parts.Host.size() - 2);
  }
  return parts;
}

// One attempt; the socket goes with it.
struct Attempt
{
  std::string Endpoint;
  int Socket = -1;
  std::string Failure; // why it ended
  bool Answered = false;
  bool Refused = false;

  explicit Attempt(std::string endpoint)
    : Endpoint(std::move(endpoint))
  {
    this->Begin();
  }
  Attempt(Attempt&& other) noexcept
    : Endpoint(std::move(other.Endpoint))
    , Socket(std::exchange(other.Socket, -1))
    , Failure(std::move(other.Failure))
    , Answered(other.Answered)
    , Refused(other.Refused)
  {
  }
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  Attempt& operator=(Attempt&&) = delete;
  ~Attempt() { this->Close(); }

  bool Pending() const { return this->Socket >= 0 && !this->Answered; }

  void Begin()
  {
    const auto parts = Split(this->Endpoint);
    if (!parts)
    {
      this->Failure = "not an address of the form tcp://host:port";
      return;
    }
    addrinfo hints = {};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int rc = getaddrinfo(parts->Host.c_str(), parts->Port.c_str(), &hints, &found);
    if (rc != 0)
    {
      this->Failure = gai_strerror(rc);
      return;
    }
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> guard(found, freeaddrinfo);
    this->Socket = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (this->Socket < 0)
    {
      this->Failure = SystemText(errno);
    }
    else if (connect(this->Socket, found->ai_addr, found->ai_addrlen) == 0)
    {
      this->Answered = true;
    }
    else if (errno != EINPROGRESS)
    {
      this->Fail(errno);
    }
  }

  // After poll said that something happened.
  void Look()
  {
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(this->Socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
    {
      error = errno;
    }
    if (error == 0)
    {
      this->Answered = true;
    }
    else
    {
      this->Fail(error);
    }
  }

  void Fail(int error)
  {
    this->Refused = error == ECONNREFUSED;
    this->Failure = SystemText(error);
    this->Close();
  }

  void Close()
  {
    if (this->Socket >= 0)
    {
      close(this->Socket);
      this->Socket = -1;
    }
  }
};
}

ProbeResult Probe(const std::vector<std::string>& endpoints, Seconds limit, Wakeup& wake,
  const std::function<bool()>& stopped)
{
  ProbeResult result;
  const Deadline deadline(limit);
  std::vector<Attempt> attempts;
  attempts.reserve(endpoints.size());
  for (const std::string& endpoint : endpoints)
  {
    attempts.emplace_back(endpoint);
  }
  for (;;)
  {
    std::vector<pollfd> waits{ { wake.Descriptor(), POLLIN, 0 } };
    std::vector<Attempt*> waiting;
    for (Attempt& attempt : attempts)
    {
      if (attempt.Answered)
      {
        result.Answering = attempt.Endpoint;
        return result;
      }
      if (attempt.Pending())
      {
        waits.push_back({ attempt.Socket, POLLOUT, 0 });
        waiting.push_back(&attempt);
      }
    }
    if (stopped())
    {
      result.Interrupted = true;
      return result;
    }
    if (waiting.empty() || deadline.Expired())
    {
      break;
    }
    if (poll(waits.data(), waits.size(), static_cast<int>(deadline.Remaining().count())) <= 0)
    {
      continue;
    }
    if (waits[0].revents != 0)
    {
      wake.Drain();
    }
    for (std::size_t i = 0; i < waiting.size(); ++i)
    {
      if (waits[i + 1].revents != 0)
      {
        waiting[i]->Look();
      }
    }
  }
  for (const Attempt& attempt : attempts)
  {
    result.Refused = result.Refused || attempt.Refused;
    result.Failures.push_back(fmt::format("{}: {}", attempt.Endpoint,
      attempt.Failure.empty() ? fmt::format("no answer within {:.2g} s", limit.count())
                              : attempt.Failure));
  }
  return result;
}

bool IsLoopback(const std::string& endpoint)
{
  const auto parts = Split(endpoint);
  return parts &&
    (parts->Host.rfind("127.", 0) == 0 || parts->Host == "::1" || parts->Host == "localhost");
}

}
