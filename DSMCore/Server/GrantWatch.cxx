// SPDX-License-Identifier: BSD-3-Clause
#include "Server/GrantWatch.h"

#include "Base/Clock.h"
#include "Base/Log.h"

#include <atomic>
#include <mutex>
#include <utility>

namespace dsm
{

namespace
{
// Ranks on other nodes wait so long at most for being noticed. That costs a core 0.3 percent while
// a file is open.
constexpr Seconds BetweenLooks(0.005);
// So long it goes on looking where files are short and follow one another: to be woken for each
// costs more.
constexpr Seconds LooksFor(0.05);
constexpr Seconds Idle(1);
constexpr Seconds LongestEnd(1);
}

// What the watch and its thread share; the last of the two to end frees it.
struct GrantWatch::State
{
  State(Doorbell questions, Look look)
    : Questions(questions)
    , OnLook(std::move(look))
  {
  }

  // False when it must not be called any more. From here on it has to be woken, unless somebody is
  // found who may not ring.
  bool LookOnce()
  {
    this->LooksByItself = false;
    const std::lock_guard lock(this->Calling);
    if (!this->Connected)
    {
      return false;
    }
    try
    {
      const auto now = Clock::now();
      this->LastMute = this->OnLook() ? now : this->LastMute;
      this->LooksByItself = now - this->LastMute < LooksFor;
    }
    catch (const std::exception& error)
    {
      Log().error("looking for what ranks want failed: {}", error.what());
    }
    return true;
  }

  void Run()
  {
    for (;;)
    {
      const std::uint32_t rung = this->Questions.Count();
      if (!this->LookOnce())
      {
        return;
      }
      this->Questions.Wait(rung, this->LooksByItself ? BetweenLooks : Idle);
    }
  }

  const Doorbell Questions;
  const Look OnLook;
  std::mutex Calling; // held while Look runs
  bool Connected = true;
  Clock::time_point LastMute; // somebody might have wanted something without ringing
  std::atomic<bool> LooksByItself = false;
};

GrantWatch::GrantWatch(Doorbell questions, Look look)
  : Questions(questions)
  , Shared(std::make_shared<State>(questions, std::move(look)))
  , Thread("dsm-grants", [shared = this->Shared] { shared->Run(); })
{
}

void GrantWatch::Wake() const
{
  // It is about to look.
  if (!this->Shared->LooksByItself)
  {
    this->Questions.Ring();
  }
}

GrantWatch::~GrantWatch()
{
  if (this->Thread.Forked())
  {
    return;
  }
  {
    const std::lock_guard lock(this->Shared->Calling);
    this->Shared->Connected = false;
  }
  this->Questions.Ring();
  this->Thread.Join(LongestEnd);
}

}
