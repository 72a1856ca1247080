// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace dsm
{

/// While one exists, snapshots that this thread opens do not count as read when they are closed:
/// reading a file's time or names is no reason to evict it. Scopes may be nested. It applies to the
/// thread and not to an open, since the code that knows why a file is opened calls HDF5 and
/// ParaView's readers, which open it.
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
