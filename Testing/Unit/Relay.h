// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ControlFixture.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace dsm::testing
{

/// Stands between a channel and its server, and can cut the connections it carries, swallow what
/// the server answers by them, or hold back what it is asked, for a while.
class Relay
{
public:
  explicit Relay(const std::string& serverEndpoint)
    : Door(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    , ServerPort(std::stoi(serverEndpoint.substr(serverEndpoint.rfind(':') + 1)))
  {
    sockaddr_in address = Loopback(0);
    EXPECT_EQ(bind(this->Door, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    socklen_t size = sizeof address;
    EXPECT_EQ(getsockname(this->Door, reinterpret_cast<sockaddr*>(&address), &size), 0);
    this->Port = ntohs(address.sin_port);
    EXPECT_EQ(listen(this->Door, 8), 0);
    EXPECT_EQ(pipe(this->Orders), 0);
    this->Thread = std::thread([this] { this->Run(); });
  }
  ~Relay()
  {
    this->Order('q');
    this->Thread.join();
    for (const int fd : { this->Door, this->Orders[0], this->Orders[1] })
    {
      close(fd);
    }
  }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  std::string Endpoint() const { return "tcp://127.0.0.1:" + std::to_string(this->Port); }
  void Cut() { this->Order('c'); }
  void Mute() { this->Order('m'); }
  void MuteForEver() { this->Order('e'); } ///< also connections that come later
  void Hold() { this->Order('h'); }
  void Release() { this->Order('r'); }
  bool HasCut()
  {
    return this->Cuts.WaitFor([](int cuts) { return cuts > 0; });
  }

private:
  /// A connection from a channel, and the one to the server that goes with it.
  struct Pair
  {
    int Near = -1;
    int Far = -1;
    bool Muted = false;
    bool Held = false;
  };

  static sockaddr_in Loopback(int port)
  {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    return address;
  }

  void Order(char what) { EXPECT_EQ(write(this->Orders[1], &what, 1), 1); }

  void Connect()
  {
    const int near = accept4(this->Door, nullptr, nullptr, SOCK_CLOEXEC);
    const int far = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = Loopback(this->ServerPort);
    EXPECT_EQ(connect(far, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    this->Pairs.push_back({ near, far, this->MutesAll, false });
  }

  void Run()
  {
    for (;;)
    {
      std::vector<pollfd> waits{ { this->Orders[0], POLLIN, 0 }, { this->Door, POLLIN, 0 } };
      for (const Pair& pair : this->Pairs)
      {
        waits.push_back({ pair.Held ? -1 : pair.Near, POLLIN, 0 });
        waits.push_back({ pair.Far, POLLIN, 0 });
      }
      poll(waits.data(), waits.size(), -1);
      char order = 0;
      if (waits[0].revents != 0 && read(this->Orders[0], &order, 1) == 1)
      {
        for (Pair& pair : this->Pairs)
        {
          pair.Muted = pair.Muted || order == 'm' || order == 'e';
          pair.Held = order == 'h' || (pair.Held && order != 'r');
        }
        this->MutesAll = this->MutesAll || order == 'e';
        if (order == 'c' || order == 'q')
        {
          this->CloseAll();
          this->Cuts.Change([](int& cuts) { ++cuts; });
        }
        if (order == 'q')
        {
          return;
        }
        continue;
      }
      std::vector<Pair> left;
      for (std::size_t i = 0; i < this->Pairs.size(); ++i)
      {
        const Pair& pair = this->Pairs[i];
        if ((waits[2 + 2 * i].revents == 0 || Copy(pair.Near, pair.Far, true)) &&
          (waits[3 + 2 * i].revents == 0 || Copy(pair.Far, pair.Near, !pair.Muted)))
        {
          left.push_back(pair);
        }
        else
        {
          close(pair.Near);
          close(pair.Far);
        }
      }
      this->Pairs = left;
      if (waits[1].revents != 0)
      {
        this->Connect();
      }
    }
  }

  static bool Copy(int from, int to, bool deliver)
  {
    char piece[4096];
    const ssize_t got = read(from, piece, sizeof piece);
    return got > 0 &&
      (!deliver || send(to, piece, static_cast<std::size_t>(got), MSG_NOSIGNAL) == got);
  }

  void CloseAll()
  {
    for (const Pair& pair : this->Pairs)
    {
      close(pair.Near);
      close(pair.Far);
    }
    this->Pairs.clear();
  }

  int Door;
  int ServerPort;
  int Port = 0;
  int Orders[2] = { -1, -1 };
  std::vector<Pair> Pairs;
  bool MutesAll = false;
  Watched<int> Cuts;
  std::thread Thread;
};

}
