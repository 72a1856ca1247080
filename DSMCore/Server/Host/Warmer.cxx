// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Host/Warmer.h"

#include "Base/Threads.h"
#include "Memory/Segment.h"
#include "Server/Host/Pace.h"

#include <algorithm>
#include <ctime>
#include <exception>
#include <memory>

#include <sched.h>

namespace dsm
{

namespace
{
// A few milliseconds' work or less: so long somebody may wait who needs what a thread of low
// priority is just doing.
constexpr std::uint64_t StepSize = 2 * Segment::HugePage;
constexpr unsigned CoresForEach = 8;
constexpr unsigned MostThreads = 4;

// The processor time of the calling thread.
Seconds Used()
{
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return Seconds(static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec));
}
}

unsigned Warmer::UsefulThreads()
{
  cpu_set_t cores;
  const int count = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
  return std::clamp(static_cast<unsigned>(count) / CoresForEach, 1U, MostThreads);
}

Warmer::Warmer(Work work, unsigned threads)
  : Do(std::move(work))
{
  const SignalsBlocked quiet;
  for (unsigned number = 0; number < threads; ++number)
  {
    this->Threads.emplace_back([this] { this->Run(); });
  }
}

Warmer::~Warmer()
{
  {
    const std::lock_guard lock(this->Guard);
    this->Ending = true;
  }
  this->Wake.notify_all();
  this->Ended.notify_all();
  for (std::thread& thread : this->Threads)
  {
    thread.join();
  }
}

void Warmer::Add(const Range& range, Done done)
{
  auto job = std::make_shared<Job>();
  job->All = range;
  job->Told = std::move(done);
  {
    const std::lock_guard lock(this->Guard);
    this->Queue.push_back(std::move(job));
  }
  this->Wake.notify_all();
}

bool Warmer::Concerns(const Job& job, const Range& range)
{
  return job.All.Begin < range.Begin + range.Size && range.Begin < job.All.Begin + job.All.Size;
}

void Warmer::Finish(const Range& range)
{
  std::unique_lock lock(this->Guard);
  for (;;)
  {
    const auto found = std::find_if(this->Queue.begin(), this->Queue.end(),
      [&](const auto& job) { return Concerns(*job, range); });
    if (found == this->Queue.end())
    {
      return;
    }
    // Its own: the queue changes meanwhile.
    const auto job(*found); // NOLINT(performance-unnecessary-copy-initialization)
    if (!this->Step(lock, job))
    {
      this->Finished.wait(lock); // for the others' last steps
    }
  }
}

void Warmer::Run()
{
  LowerPriority();
  std::unique_lock lock(this->Guard);
  auto before = Clock::now();
  Seconds usedBefore = Used();
  while (!this->Ending)
  {
    const auto found = std::find_if(this->Queue.begin(), this->Queue.end(),
      [](const auto& job) { return job->Begun < job->All.Size || job->Underway == 0; });
    if (found == this->Queue.end())
    {
      this->Wake.wait(lock);
      before = Clock::now();
      usedBefore = Used();
      continue;
    }
    // Its own: the queue changes meanwhile.
    const auto job(*found); // NOLINT(performance-unnecessary-copy-initialization)
    this->Step(lock, job);
    // Who waits for others without sleeping, as MPI's ranks do, gives a core away again and again,
    // and would have it back only when the kernel takes it from this thread: milliseconds later.
    lock.unlock();
    sched_yield();
    lock.lock();
    if (job->All.Rests)
    {
      this->Rest(lock, Pace::RestAfter(Clock::now() - before, Used() - usedBefore));
    }
    before = Clock::now();
    usedBefore = Used();
  }
}

// Rests unless the warmer ends. Whoever needs a range meanwhile makes it ready itself.
void Warmer::Rest(std::unique_lock<std::mutex>& lock, Seconds rest)
{
  if (rest > Seconds(0))
  {
    this->Ended.wait_for(lock, rest, [this] { return this->Ending; });
  }
}

// Does the job's next step without the lock, and tells when it was the last. False when there was
// none left to begin.
bool Warmer::Step(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Job>& job)
{
  const std::uint64_t begin = job->All.Begin + job->Begun;
  const std::uint64_t size = std::min(job->All.Size - job->Begun, StepSize - begin % StepSize);
  if (size == 0 && job->Underway > 0)
  {
    return false;
  }
  const Range step{ begin, size, job->All.Touches, job->All.Rests };
  job->Begun += size;
  ++job->Underway;
  lock.unlock();
  std::string failure;
  try
  {
    if (size > 0)
    {
      this->Do(step);
    }
  }
  catch (const std::exception& error)
  {
    failure = error.what();
  }
  lock.lock();
  if (!failure.empty())
  {
    job->Failure = failure;
    job->Begun = job->All.Size; // the rest is not tried
  }
  if (--job->Underway == 0 && job->Begun == job->All.Size)
  {
    // Told before it leaves the queue, so that Finish comes behind that.
    job->Underway = 1;
    lock.unlock();
    job->Told(job->Failure);
    lock.lock();
    std::erase(this->Queue, job);
  }
  this->Finished.notify_all();
  return true;
}

}
