// SPDX-License-Identifier: BSD-3-Clause
#include "Base/TestDelay.h"

#include "Base/Deadline.h"
#include "Base/FileDescriptor.h"
#include "Base/LaunchedJob.h"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

namespace dsm::testdelay
{

namespace
{
// One visit in OneLongOf is delayed for long, and one in OneShortOf for a short time.
constexpr std::uint64_t OneLongOf = 12;
constexpr std::uint64_t OneShortOf = 4;
constexpr std::uint64_t LongestMilliseconds = 500;
constexpr std::uint64_t ShortestMilliseconds = 5;
constexpr Seconds LongestHold(60);

// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
std::uint64_t Mix(std::uint64_t value)
{
  value += UINT64_C(0x9e3779b97f4a7c15);
  value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
  return value ^ (value >> 31);
}

// FNV-1a, which is the same in each build.
std::uint64_t HashOf(std::string_view text)
{
  std::uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (const char letter : text)
  {
    hash = (hash ^ static_cast<unsigned char>(letter)) * UINT64_C(0x100000001b3);
  }
  return hash;
}

class Draws
{
public:
  explicit Draws(std::uint64_t seed)
    : Seed(Mix(seed) ^ Mix(RankOfThisProcess() + 1))
  {
  }

  std::uint64_t Next(const char* place)
  {
    const std::uint64_t name = HashOf(place);
    const std::lock_guard lock(this->Guard);
    return Mix(this->Seed ^ Mix(name ^ Mix(this->Visits[name]++)));
  }

private:
  const std::uint64_t Seed;
  std::mutex Guard;
  std::map<std::uint64_t, std::uint64_t> Visits; ///< by the hash of the place's name
};

// Never destroyed, since HDF5 closes files behind the static destructors. Null without a seed.
Draws* TheDraws()
{
  static Draws* const draws = []() -> Draws*
  {
    const char* const seed = std::getenv("DSM_TEST_DELAYS");
    return seed && *seed ? new Draws(std::strtoull(seed, nullptr, 10)) : nullptr;
  }();
  return draws;
}

// This process is held at that place while that file exists.
struct Hold
{
  std::string Place;
  std::string File;
};

// Never destroyed, as the draws. Null if this rank is not held.
const Hold* TheHold()
{
  static const Hold* const hold = []() -> const Hold*
  {
    const char* const value = std::getenv("DSM_TEST_HOLD");
    const std::string_view text = value ? value : "";
    const std::size_t first = text.find(':');
    const std::size_t second = text.find(':', first + 1);
    return second != std::string_view::npos &&
        text.substr(0, first) == std::to_string(RankOfThisProcess())
      ? new Hold{ std::string(text.substr(first + 1, second - first - 1)),
          std::string(text.substr(second + 1)) }
      : nullptr;
  }();
  return hold;
}

// Returns at once if the file does not exist.
void WaitWhileHeld(const std::string& file)
{
  const auto isHeld = [&] { return access(file.c_str(), F_OK) == 0; };
  if (isHeld())
  {
    FileDescriptor(open((file + ".reached").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, S_IRWXU));
  }
  for (const Deadline deadline(LongestHold); isHeld() && !deadline.Expired();)
  {
    std::this_thread::sleep_for(std::chrono::milliseconds(ShortestMilliseconds));
  }
}
}

void HoldAt(const char* place)
{
  if (const Hold* const hold = TheHold(); hold && hold->Place == place)
  {
    WaitWhileHeld(hold->File);
  }
}

void At(const char* place)
{
  HoldAt(place);
  Draws* const draws = TheDraws();
  if (!draws)
  {
    return;
  }
  const std::uint64_t drawn = draws->Next(place);
  const std::uint64_t amount = drawn / (OneLongOf * OneShortOf);
  if (drawn % OneLongOf == 0)
  {
    std::this_thread::sleep_for(std::chrono::milliseconds(1 + amount % LongestMilliseconds));
  }
  else if (drawn % OneShortOf == 0)
  {
    std::this_thread::sleep_for(std::chrono::milliseconds(1 + amount % ShortestMilliseconds));
  }
}

}
