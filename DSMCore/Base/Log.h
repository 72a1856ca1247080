// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/core.h>

namespace spdlog
{
class logger;
}

namespace dsm
{

enum class LogLevel
{
  Trace,
  Debug,
  Info,
  Warning,
  Error,
  Critical
};

/// What spdlog's logger does, without its headers: they cost each source three seconds of compile
/// time. Thread safe; a message is on standard error when the call returns.
class Logger
{
public:
  template <typename... Args>
  void trace(fmt::format_string<Args...> text, Args&&... args) const
  {
    this->Write(LogLevel::Trace, text, fmt::make_format_args(args...));
  }

  template <typename... Args>
  void debug(fmt::format_string<Args...> text, Args&&... args) const
  {
    this->Write(LogLevel::Debug, text, fmt::make_format_args(args...));
  }

  template <typename... Args>
  void info(fmt::format_string<Args...> text, Args&&... args) const
  {
    this->Write(LogLevel::Info, text, fmt::make_format_args(args...));
  }

  template <typename... Args>
  void warn(fmt::format_string<Args...> text, Args&&... args) const
  {
    this->Write(LogLevel::Warning, text, fmt::make_format_args(args...));
  }

  template <typename... Args>
  void error(fmt::format_string<Args...> text, Args&&... args) const
  {
    this->Write(LogLevel::Error, text, fmt::make_format_args(args...));
  }

  template <typename... Args>
  void critical(fmt::format_string<Args...> text, Args&&... args) const
  {
    this->Write(LogLevel::Critical, text, fmt::make_format_args(args...));
  }

  template <typename... Args>
  void log(LogLevel level, fmt::format_string<Args...> text, Args&&... args) const
  {
    this->Write(level, text, fmt::make_format_args(args...));
  }

  /// spdlog's own, for further sinks.
  spdlog::logger& Underlying() const;

private:
  void Write(LogLevel level, fmt::string_view text, fmt::format_args args) const;
};

/// The library's logger: standard error, level from DSM_LOG (trace, debug, info, warn, err, off;
/// default warn).
inline Logger Log()
{
  return {};
}

}
