// SPDX-License-Identifier: BSD-3-Clause
#include "ReaderErrors.h"

#include <vtkAlgorithm.h>
#include <vtkCallbackCommand.h>
#include <vtkCommand.h>
#include <vtkExecutive.h>
#include <vtkNew.h>

namespace dsm::readers
{

namespace
{
void Keep(vtkObject*, unsigned long, void* data, void* message)
{
  auto& kept = *static_cast<std::string*>(data);
  if (!kept.empty() || !message)
  {
    return;
  }
  kept = static_cast<const char*>(message);
  // The executive's error after one of its algorithm has no reason.
  if (kept.find("returned failure for request") != std::string::npos)
  {
    kept.clear();
    return;
  }
  // "ERROR: In file, line 12\nvtkHDFReader (0x…): text\n\n"
  if (const auto mark = kept.find("): "); mark != std::string::npos)
  {
    kept.erase(0, mark + 3);
  }
  kept.erase(kept.find_last_not_of(" \n") + 1);
}
}

void ReaderErrors::Watch(vtkAlgorithm* reader)
{
  vtkNew<vtkCallbackCommand> collect;
  collect->SetClientData(&this->First);
  collect->SetCallback(Keep);
  reader->AddObserver(vtkCommand::ErrorEvent, collect);
  reader->GetExecutive()->AddObserver(vtkCommand::ErrorEvent, collect);
}

}
