// SPDX-License-Identifier: BSD-3-Clause
#include "CrashNote.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>

#include <unistd.h>

#ifdef __GLIBC__
// The same by another name: UCX has a function "sigaction" of its own, which does nothing for the
// signals that UCX wants for itself.
extern "C" int __sigaction(int, const struct sigaction*, struct sigaction*);
#  define DSM_SIGACTION __sigaction
#else
#  define DSM_SIGACTION sigaction
#endif

namespace dsm::readers
{

namespace
{
constexpr std::array Signals = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
constexpr std::size_t LongestLine = 2048;

// A handler of signals may use nothing but such.
char Line[LongestLine];
volatile sig_atomic_t LineLength = 0;
std::array<struct sigaction, Signals.size()> Previous;
int Notes = 0;
// Where there is no stack left, that is the crash.
alignas(16) char OwnStack[64 << 10];

void SetLine(const std::string& text)
{
  LineLength = 0;
  const std::size_t length = std::min(text.size(), LongestLine);
  std::copy_n(text.data(), length, Line);
  LineLength = static_cast<sig_atomic_t>(length);
}

void Tell(int signal, siginfo_t* info, void*)
{
  const auto length = static_cast<std::size_t>(LineLength);
  if (length > 0)
  {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, Line, length);
  }
  for (std::size_t index = 0; index < Signals.size(); ++index)
  {
    DSM_SIGACTION(Signals[index], &Previous[index], nullptr);
  }
  // What the processor has met it meets again behind this; what was sent is sent again.
  if (!info || info->si_code <= 0 || signal == SIGABRT)
  {
    raise(signal);
  }
}

void Install()
{
  stack_t stack = {};
  if (sigaltstack(nullptr, &stack) == 0 && (stack.ss_flags & SS_DISABLE) != 0)
  {
    stack = {};
    stack.ss_sp = OwnStack;
    stack.ss_size = sizeof OwnStack;
    sigaltstack(&stack, nullptr);
  }
  struct sigaction action = {};
  action.sa_sigaction = Tell;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (std::size_t index = 0; index < Signals.size(); ++index)
  {
    DSM_SIGACTION(Signals[index], &action, &Previous[index]);
  }
}

void Restore()
{
  for (std::size_t index = 0; index < Signals.size(); ++index)
  {
    DSM_SIGACTION(Signals[index], &Previous[index], nullptr);
  }
}
}

CrashNote::CrashNote(const std::string& file)
  : File(file)
  , Before(Line, static_cast<std::size_t>(LineLength))
{
  SetLine(
    fmt::format("ParaView DSM: this process crashes while it finds out what {} holds\n", file));
  if (Notes++ == 0)
  {
    Install();
  }
}

CrashNote::~CrashNote()
{
  SetLine(this->Before);
  if (--Notes == 0)
  {
    Restore();
  }
}

void CrashNote::ReadAs(const std::string& kind)
{
  SetLine(fmt::format("ParaView DSM: this process crashes while it reads {} as {}: what processes "
                      "of their own host (separate) stays in memory\n",
    this->File, kind));
}

}
