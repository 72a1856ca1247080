// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Cell.h"
#include "Settings.h"
#include "World.h"

#include "Attach/LocalServer.h"

#include <memory>
#include <string>

namespace bench
{

/// The hosts' side: one server after the other, as the cells need them. All functions are
/// collective over all ranks of the world; those that are no hosts only take part in the talk.
class Hosting
{
public:
  Hosting(const World& world, const Settings& settings);

  /// Makes the server and the map that a cell needs, keeping the server when it fits. Returns why
  /// it cannot, or nothing.
  std::string Serve(const Cell& cell);

  /// The map of another cell for the present server. Returns as Serve does.
  std::string Map(const Cell& cell);

  /// Ends the server, if there is one.
  void Stop();

  /// Of the present server.
  const std::string& ContactPath() const { return this->Contact; }

  /// Bytes that writers handed to the driver for the newest snapshot.
  std::uint64_t BytesStored() const;

private:
  std::string Start(const Cell& cell);

  const World& Ranks;
  const Settings& Given;
  std::unique_ptr<dsm::LocalServer> Server; ///< on hosts
  std::string Contact;
  std::string Served; ///< what the present server was made for
  int Servers = 0;
};

}
