// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace dsm
{

/// While one lives, snapshots that this thread opens do not count as read when they are closed: a
/// look at a file's time or names is no reason to give its memory away. Scopes may be nested. It
/// works on the thread, not on an open, since HDF5 and ParaView's readers lie between who knows why
/// a file is opened and who opens it.
class Peek
{
public:
  Peek();
  ~Peek();
  Peek(const Peek&) = delete;
  Peek& operator=(const Peek&) = delete;

  static bool Active();
};

}
