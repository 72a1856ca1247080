// SPDX-License-Identifier: BSD-3-Clause
#include "CrashNote.h"

#include "CrashRecord.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>

#include <fcntl.h>
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

// Text that the handler of a signal may use: one that is half set is none.
struct Prepared
{
  char Text[LongestLine + 1] = {};
  volatile sig_atomic_t Length = 0;

  void Set(const std::string& text)
  {
    this->Length = 0;
    // Half a path is another one.
    const std::size_t length = text.size() > LongestLine ? 0 : text.size();
    std::copy_n(text.data(), length, this->Text);
    this->Text[length] = 0;
    this->Length = static_cast<sig_atomic_t>(length);
  }
  std::string Get() const { return { this->Text, static_cast<std::size_t>(this->Length) }; }
};

// What is printed; what is left for the next ParaView, and where.
Prepared Line, Left, Path;
std::array<struct sigaction, Signals.size()> Previous;
int Notes = 0;
// Where there is no stack left, that is the crash.
alignas(16) char OwnStack[64 << 10];

void Leave(const crashes::Prepared& record)
{
  Left.Set(""); // never one's line in the other's place
  Path.Set(record.Path);
  Left.Set(record.Line);
}

void Write(int file, const Prepared& text)
{
  if (text.Length > 0)
  {
    [[maybe_unused]] const auto written =
      write(file, text.Text, static_cast<std::size_t>(text.Length));
  }
}

void Tell(int signal, siginfo_t* info, void*)
{
  Write(STDERR_FILENO, Line);
  if (Left.Length > 0 && Path.Length > 0)
  {
    const int file = open(Path.Text, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file >= 0)
    {
      Write(file, Left);
      close(file);
    }
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
  , Before(Line.Get())
  , PathBefore(Path.Get())
  , LeftBefore(Left.Get())
{
  Line.Set(
    fmt::format("ParaView DSM: this process crashes while it finds out what {} holds\n", file));
  Leave(crashes::Prepare(file, {}));
  if (Notes++ == 0)
  {
    Install();
  }
}

CrashNote::~CrashNote()
{
  Line.Set(this->Before);
  Leave({ this->PathBefore, this->LeftBefore });
  if (--Notes == 0)
  {
    Restore();
  }
}

void CrashNote::ReadAs(const std::string& kind)
{
  Line.Set(
    fmt::format("ParaView DSM: this process crashes while it reads {} as {}: what processes of "
                "their own host (separate) stays in memory\n",
      this->File, kind));
  Leave(crashes::Prepare(this->File, kind));
}

}
