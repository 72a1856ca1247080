// SPDX-License-Identifier: BSD-3-Clause
#include "Session/GrantWatch.h"

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

  // False when it must not be called any more.
  bool LookOnce(bool& byItself)
  {
    const std::lock_guard lock(this->Calling);
    if (!this->Connected)
    {
      return false;
    }
    try
    {
      byItself = this->OnLook();
    }
    catch (const std::exception& error)
    {
      Log().error("looking for what ranks want failed: {}", error.what());
    }
    return true;
  }

  void Run()
  {
    for (bool byItself = false;;)
    {
      const std::uint32_t rung = this->Questions.Count();
      if (!this->LookOnce(byItself))
      {
        return;
      }
      this->Questions.Wait(rung, byItself ? BetweenLooks : Idle);
    }
  }

  const Doorbell Questions;
  const Look OnLook;
  std::mutex Calling; // held while Look runs
  bool Connected = true;
};

GrantWatch::GrantWatch(Doorbell questions, Look look)
  : Questions(questions)
  , Shared(std::make_shared<State>(questions, std::move(look)))
  , Thread("dsm-grants", [shared = this->Shared] { shared->Run(); })
{
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
