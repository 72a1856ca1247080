// SPDX-License-Identifier: BSD-3-Clause
#include "Server/PlaceholderTeller.h"

#include "Base/Deadline.h"
#include "Base/Error.h"
#include "Base/FileDescriptor.h"
#include "Base/FileUpdate.h"
#include "Base/Log.h"
#include "Base/Threads.h"

#include <algorithm>
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
  std::uint64_t Size = 0; ///< of a snapshot that has become of an unfinished file
};

bool Put(int file, const PlaceholderContents& there, PlaceholderState state)
{
  const std::string text = PlaceholderContents::Text(state);
  return pwrite(file, text.data(), text.size(), static_cast<off_t>(there.TextBegin)) >= 0;
}

// Whether a placeholder is that of an image which its writer has not closed.
bool IsOfUnfinished(const PlaceholderContents& there, const PlaceholderAddress& address)
{
  if (there.Address.Server != address.Server || there.State != PlaceholderState::InMemory)
  {
    return false;
  }
  const ImageId image = address.Image.value_or(ImageId(0));
  return there.Address.Number == 0
    ? there.Address.Image == image
    : address.Number != 0 && there.Address.Number == address.Before.value_or(SnapshotId(0));
}

void CarryUnfinished(int file, const PlaceholderContents& there, const Task& task)
{
  if (!IsOfUnfinished(there, task.Address))
  {
    return;
  }
  if (task.Address.Number == 0)
  {
    Put(file, there, PlaceholderState::Unfinished);
    return;
  }
  PlaceholderAddress address;
  address.Contact = there.Address.Contact;
  address.Server = there.Address.Server;
  address.Number = task.Address.Number;
  const std::string text = PlaceholderContents::AddressText(address);
  const std::uint64_t end =
    std::max(there.AddressBegin + text.size(), there.TextBegin + PlaceholderContents::TextRoom);
  if (pwrite(file, text.data(), text.size(), static_cast<off_t>(there.AddressBegin)) < 0 ||
    ftruncate(file, static_cast<off_t>(std::max<std::uint64_t>(task.Size, end))) != 0)
  {
    Log().debug("{} is not told that it is snapshot {}", task.File, address.Number);
  }
}

void Carry(const Task& task)
{
  const FileDescriptor file(open(task.File.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.IsOpen())
  {
    return;
  }
  const FileUpdate update(file.Get());
  const auto there = PlaceholderContents::Read(file.Get(), task.File);
  if (there && task.Address.Image)
  {
    CarryUnfinished(file.Get(), *there, task);
    return;
  }
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

  static void Add(const std::shared_ptr<Shared>& shared, Task task)
  {
    const std::lock_guard lock(shared->Guard);
    if (shared->Ending || shared->Tasks.size() >= Longest)
    {
      return;
    }
    shared->Tasks.push_back(std::move(task));
    if (!std::exchange(shared->Started, true))
    {
      const SignalsBlocked quiet;
      // A disk that hangs must not keep the server from ending: then the thread goes with the
      // process.
      std::thread([shared] { shared->Run(); }).detach();
    }
    shared->Changed.notify_all();
  }

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
  Shared::Add(this->State, { file, address, state });
}

void PlaceholderTeller::TellUnfinished(
  const std::string& file, const PlaceholderAddress& address, std::uint64_t size)
{
  Shared::Add(this->State, { file, address, PlaceholderState::Unfinished, size });
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
