// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Log.h"
#include "Server/Core/CoreTime.h"

#include <string>

namespace dsm
{

/// The last thing that went wrong, for the server's status.
class Incidents
{
public:
  /// `time` must outlive this.
  explicit Incidents(const CoreTime& time)
    : Time(time)
  {
  }

  /// Writes the text to the log as a warning as well.
  void Report(const std::string& text)
  {
    Log().warn("{}", text);
    this->Note(text);
  }

  void Note(const std::string& text)
  {
    this->Text = text;
    this->At = this->Time.Wall;
  }

  const std::string& Last() const { return this->Text; }
  double LastAt() const { return this->At; } ///< seconds since 1970

private:
  const CoreTime& Time;
  std::string Text;
  double At = 0;
};

}
