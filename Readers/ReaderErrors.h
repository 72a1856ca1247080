// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

class vtkAlgorithm;

namespace dsm::readers
{

/// Keeps a reader's first error, and that of its executive, instead of letting VTK print it: the
/// text becomes part of our own message. It must live as long as the reader.
class ReaderErrors
{
public:
  ReaderErrors() = default;
  ReaderErrors(const ReaderErrors&) = delete;
  ReaderErrors& operator=(const ReaderErrors&) = delete;

  void Watch(vtkAlgorithm* reader);
  void Clear() { this->First.clear(); }
  const std::string& Text() const { return this->First; }

private:
  std::string First;
};

}
