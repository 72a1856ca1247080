// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Log.h"

#include <spdlog/sinks/stdout_sinks.h>

#include <cstdlib>
#include <memory>

namespace dsm
{

spdlog::logger& Log()
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

}
