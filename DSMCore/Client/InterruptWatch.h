// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace dsm
{

/// While it lives: notices that SIGINT (Ctrl+C) came, where the program handles that signal itself.
///
/// A paused simulation waits in dsm_step, perhaps for hours. Its own handler, such as Python's,
/// only notes the signal and acts when dsm_step comes back: so it must come back. The handler is
/// still called. Where the signal's default is in force, which ends the program, nothing is done.
class InterruptWatch
{
public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  /// Whether it came since this watch, or another that began before it, was made.
  static bool Came();

private:
  bool Installed = false;
};

}
