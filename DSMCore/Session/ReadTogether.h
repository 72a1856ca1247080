// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace dsm
{

/// While one lives, snapshots that this thread opens are read by several ranks of one viewer, each
/// opening it for itself: the server keeps a snapshot that one of them has opened until all have
/// closed it (JointReads). `viewer` is a name that those ranks share and nobody else has. Works on
/// the thread for the same reason as Peek, which goes before it.
class ReadTogether
{
public:
  ReadTogether(std::string viewer, std::uint64_t ranks);
  ~ReadTogether();
  ReadTogether(const ReadTogether&) = delete;
  ReadTogether& operator=(const ReadTogether&) = delete;

  /// The innermost one that counts, else null: with one rank there is nobody to wait for.
  static const ReadTogether* Active();

  const std::string& Viewer() const { return this->Name; }
  std::uint64_t Ranks() const { return this->Count; }

private:
  std::string Name;
  std::uint64_t Count;
  const ReadTogether* Outer;
};

}
