// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace dsm
{

/// Makes memory ready in the background, before anybody needs it: in small steps, by threads of low
/// priority that may rest between the steps, so that a program on the same cores is hardly held up.
/// Whoever needs a part of it at once does the rest of that part itself.
class Warmer
{
public:
  /// Bytes of a segment.
  struct Range
  {
    std::uint64_t Begin = 0;
    std::uint64_t Size = 0;
    bool Touches = true; ///< else it is only reserved
    bool Rests = false;  ///< threads that make it ready rest if others want their cores (Pace)
  };
  /// Makes a range ready; may throw.
  using Work = std::function<void(const Range&)>;
  /// `failure` is empty when all went well.
  using Done = std::function<void(const std::string& failure)>;

  Warmer(Work work, unsigned threads);
  ~Warmer();
  Warmer(const Warmer&) = delete;
  Warmer& operator=(const Warmer&) = delete;

  /// How many threads are worth it on a host: few, since all of them take memory's bandwidth.
  static unsigned UsefulThreads();

  /// `done` is called by a thread of the warmer, or by one that is in Finish.
  void Add(const Range& range, Done done);

  /// Does what is left of all ranges that share bytes with this one, here and now. When it returns
  /// they are done, and it was said.
  void Finish(const Range& range);

private:
  struct Job
  {
    Range All;
    std::uint64_t Begun = 0;    ///< bytes whose turn has come
    std::uint64_t Underway = 0; ///< steps
    std::string Failure;
    Done Told;
  };
  using Jobs = std::deque<std::shared_ptr<Job>>;

  void Run();
  void Rest(std::unique_lock<std::mutex>& lock, Seconds rest);
  bool Step(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Job>& job);
  static bool Concerns(const Job& job, const Range& range);

  Work Do;
  std::mutex Guard;
  std::condition_variable Wake;     ///< for the threads
  std::condition_variable Finished; ///< a step is over
  std::condition_variable Ended;    ///< for threads that rest
  Jobs Queue;                       ///< until they are done
  bool Ending = false;
  std::vector<std::thread> Threads;
};

}
