// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Transport/Transport.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace dsm
{

/// Sorts pieces by host, so that a transport gets all of a host's together. Between two calls that
/// move pieces it is empty; it is kept for its memory.
template <typename Piece>
class HostPieces
{
public:
  /// Adds one at its offset in the host's segment; what there is of a host is moved when it is
  /// much.
  void Add(Transport& transport, HostIndex host, const Piece& piece)
  {
    if (host >= this->Lists.size())
    {
      this->Lists.resize(host + 1);
    }
    std::vector<Piece>& list = this->Lists[host];
    list.push_back(piece);
    if (list.size() >= MostOfHost)
    {
      this->Move(transport, host);
    }
  }

  /// Moves all. Where that throws, it is not to be used any more.
  void Move(Transport& transport)
  {
    for (HostIndex host = 0; host < this->Lists.size(); ++host)
    {
      if (!this->Lists[host].empty())
      {
        this->Move(transport, host);
      }
    }
  }

private:
  static constexpr std::size_t MostOfHost = 4096;

  void Move(Transport& transport, HostIndex host)
  {
    std::vector<Piece>& list = this->Lists[host];
    if constexpr (std::is_same_v<Piece, PutPiece>)
    {
      transport.PutPieces(host, list);
    }
    else
    {
      transport.GetPieces(host, list);
    }
    list.clear();
  }

  std::vector<std::vector<Piece>> Lists;
};

}
