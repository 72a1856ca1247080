// SPDX-License-Identifier: BSD-3-Clause
#include "Server/PlaceholderTeller.h"

#include "Base/Deadline.h"
#include "Base/Error.h"
#include "Base/FileDescriptor.h"
#include "Base/Log.h"
#include "Base/Threads.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace dsm
{

namespace
{
// How many may wait: more than a ring has slots.
constexpr std::size_t Longest = 100000;

// How long the end of a server waits for disks.
constexpr Seconds FinishLimit(5);

struct Task
{
  std::string File;
  PlaceholderAddress Address;
  PlaceholderState State = PlaceholderState::InMemory;
};

bool Put(int file, const PlaceholderContents& there, PlaceholderState state)
{
  const std::string text = PlaceholderContents::Text(state);
  return pwrite(file, text.data(), text.size(), static_cast<off_t>(there.TextBegin)) >= 0;
}

void Carry(const Task& task)
{
  const FileDescriptor file(open(task.File.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.IsOpen())
  {
    return;
  }
  const auto there = PlaceholderContents::Read(file.Get(), task.File);
  if (!there || !there->Address.IsThatOf(task.Address) ||
    there->State != PlaceholderState::InMemory || !Put(file.Get(), *there, task.State))
  {
    return;
  }
  // Its writer writes all of it when the file becomes another snapshot. If it did so between, that
  // one is in memory.
  const auto after = PlaceholderContents::Read(file.Get(), task.File);
  if (after && !after->Address.IsThatOf(task.Address))
  {
    Put(file.Get(), *after, PlaceholderState::InMemory);
  }
}
}

struct PlaceholderTeller::Shared
{
  std::mutex Guard;
  std::condition_variable Changed;
  std::deque<Task> Tasks; ///< the first of them is under way
  bool Started = false;
  bool Ending = false;
  bool Ended = false;

  void Run()
  {
    std::unique_lock lock(this->Guard);
    for (;;)
    {
      this->Changed.wait(lock, [this] { return this->Ending || !this->Tasks.empty(); });
      if (this->Tasks.empty())
      {
        break;
      }
      const Task task = std::move(this->Tasks.front());
      this->Tasks.pop_front();
      lock.unlock();
      try
      {
        Carry(task);
      }
      catch (const Error& error)
      {
        // Of another version: it is nothing of this server's.
        Log().debug("{}", error.what());
      }
      lock.lock();
    }
    this->Ended = true;
    this->Changed.notify_all();
  }
};

PlaceholderTeller::PlaceholderTeller()
  : State(std::make_shared<Shared>())
{
}

PlaceholderTeller::~PlaceholderTeller()
{
  this->Finish();
}

void PlaceholderTeller::Tell(
  const std::string& file, const PlaceholderAddress& address, PlaceholderState state)
{
  const std::lock_guard lock(this->State->Guard);
  if (this->State->Ending || this->State->Tasks.size() >= Longest)
  {
    return;
  }
  this->State->Tasks.push_back({ file, address, state });
  if (!std::exchange(this->State->Started, true))
  {
    const SignalsBlocked quiet;
    // A disk that hangs must not keep the server from ending: then the thread goes with the
    // process.
    std::thread([shared = this->State] { shared->Run(); }).detach();
  }
  this->State->Changed.notify_all();
}

void PlaceholderTeller::Finish()
{
  std::unique_lock lock(this->State->Guard);
  this->State->Ending = true;
  this->State->Changed.notify_all();
  const bool all = this->State->Changed.wait_for(
    lock, FinishLimit, [this] { return this->State->Ended || !this->State->Started; });
  if (!all)
  {
    this->State->Tasks.clear();
  }
}

}
