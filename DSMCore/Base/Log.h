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
///
/// Messages say what other programs sent, and come as often as those want. So of each text, ten
/// lines at most are written in ten seconds, and then how many were left out; not of trace and
/// debug, which somebody has asked for. Control characters are replaced, and further lines of a
/// message indented.
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

  /// Writes how many messages were left out, where that is due. For threads that come by regularly;
  /// each message does it as well.
  void ReportOmitted() const;

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
