// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Log.h"

#include "Base/LogLimit.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace dsm
{

namespace
{
spdlog::level::level_enum LevelOf(LogLevel level)
{
  switch (level)
  {
    case LogLevel::Trace:
      return spdlog::level::trace;
    case LogLevel::Debug:
      return spdlog::level::debug;
    case LogLevel::Info:
      return spdlog::level::info;
    case LogLevel::Warning:
      return spdlog::level::warn;
    case LogLevel::Error:
      return spdlog::level::err;
    case LogLevel::Critical:
      break;
  }
  return spdlog::level::critical;
}

// What is said at most, by all threads.
struct Limits
{
  std::mutex Guard;
  LogLimit Limit{ 10, Seconds(10) };
};

// Never destroyed, as the logger below.
Limits& TheLimits()
{
  static auto* const limits = new Limits;
  return *limits;
}

// A line of the log is one that this library wrote, whatever texts of others it quotes: only a
// message that has several lines of its own begins them as it likes.
std::string Harmless(const std::string& text, fmt::string_view format)
{
  const bool hasLines =
    std::string_view(format.data(), format.size()).find('\n') != std::string::npos;
  std::string line;
  line.reserve(text.size());
  for (const char c : text)
  {
    if (c == '\n')
    {
      line += hasLines ? "\n" : "\n  ";
    }
    else
    {
      const auto code = static_cast<unsigned char>(c);
      line += (code < 0x20 && c != '\t') || code == 0x7f ? '?' : c;
    }
  }
  return line;
}

// Lines of the same kind differ in what is filled in; where all is filled in, they do not differ.
bool IsAdmitted(fmt::string_view format, const std::string& line)
{
  constexpr std::size_t longestKind = 200;
  const std::string_view pattern(format.data(), format.size());
  Limits& limits = TheLimits();
  const std::lock_guard lock(limits.Guard);
  return limits.Limit.Admits(
    pattern == "{}" ? line.substr(0, longestKind) : std::string(pattern), line, Clock::now());
}
}

spdlog::logger& Logger::Underlying() const
{
  // Never destroyed: HDF5 calls the driver after the static destructors have run.
  static spdlog::logger* const logger = []
  {
    auto* made = new spdlog::logger("dsm", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("dsm %l: %v");
    const char* level = std::getenv("DSM_LOG");
    made->set_level(level ? spdlog::level::from_str(level) : spdlog::level::warn);
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return *logger;
}

void Logger::Write(LogLevel level, fmt::string_view text, fmt::format_args args) const
{
  spdlog::logger& logger = this->Underlying();
  if (!logger.should_log(LevelOf(level)))
  {
    return;
  }
  const std::string line = Harmless(fmt::vformat(text, args), text);
  if (level > LogLevel::Debug)
  {
    this->ReportOmitted();
    if (!IsAdmitted(text, line))
    {
      return;
    }
  }
  logger.log(LevelOf(level), line);
}

void Logger::ReportOmitted() const
{
  std::vector<LogLimit::Omitted> due;
  {
    Limits& limits = TheLimits();
    const std::lock_guard lock(limits.Guard);
    due = limits.Limit.TakeOmitted(Clock::now());
  }
  for (const auto& omitted : due)
  {
    this->Underlying().log(spdlog::level::warn, OmittedText(omitted));
  }
}

}
