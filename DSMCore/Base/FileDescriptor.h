// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>

namespace dsm
{

/// An open file, closed at the end.
class FileDescriptor
{
public:
  /// Takes what open() returned; a negative number is no file.
  explicit FileDescriptor(int number)
    : Number(number)
  {
  }
  FileDescriptor(FileDescriptor&& other) noexcept
    : Number(other.Release())
  {
  }
  ~FileDescriptor();
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  bool IsOpen() const { return this->Number >= 0; }
  int Get() const { return this->Number; }

  /// Leaves it to the caller, who closes it.
  int Release() { return std::exchange(this->Number, -1); }

  /// Closes it before the end; returns what close() does.
  int Close();

private:
  int Number;
};

/// True when an open file is the one that has this name now.
bool SameFile(int descriptor, const std::string& path);

}
