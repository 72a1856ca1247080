// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <cstdlib>
#include <memory>

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
  if (logger.should_log(LevelOf(level)))
  {
    logger.log(LevelOf(level), fmt::vformat(text, args));
  }
}

}
