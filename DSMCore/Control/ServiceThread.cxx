// SPDX-License-Identifier: BSD-3-Clause
#include "Control/ServiceThread.h"

#include "Base/Error.h"
#include "Base/Threads.h"

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace dsm
{

struct ServiceThread::Ending
{
  std::mutex Guard;
  std::condition_variable Changed;
  bool Reached = false;
};

ServiceThread::ServiceThread(const char* name, std::function<void()> body)
  : Maker(getpid())
  , End(std::make_shared<Ending>())
{
  const SignalsBlocked quiet;
  try
  {
    this->Thread = std::thread(
      [body = std::move(body), end = this->End]() mutable
      {
        body();
        body = nullptr; // what it owns goes before anybody is told
        const std::lock_guard<std::mutex> lock(end->Guard);
        end->Reached = true;
        end->Changed.notify_all();
      });
  }
  catch (const std::system_error& error)
  {
    throw Error(Fault::System, "cannot start the control channel's thread: {}", error.what());
  }
  pthread_setname_np(this->Thread.native_handle(), name);
}

ServiceThread::~ServiceThread()
{
  if (this->Thread.joinable())
  {
    this->Thread.detach();
  }
}

bool ServiceThread::Join(Seconds limit)
{
  if (!this->Thread.joinable())
  {
    return true;
  }
  if (this->Thread.get_id() == std::this_thread::get_id())
  {
    this->Thread.detach();
    return false;
  }
  {
    std::unique_lock<std::mutex> lock(this->End->Guard);
    if (!this->End->Changed.wait_until(
          lock, Deadline(limit).TimePoint(), [this] { return this->End->Reached; }))
    {
      this->Thread.detach();
      return false;
    }
  }
  this->Thread.join();
  return true;
}

bool ServiceThread::Forked() const
{
  return getpid() != this->Maker;
}

}
