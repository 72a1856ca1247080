// SPDX-License-Identifier: BSD-3-Clause
#include "Collectives.h"

#include <vtkCommunicator.h>
#include <vtkMultiProcessController.h>

namespace dsm::readers
{

namespace
{
vtkMultiProcessController* Controller()
{
  auto* controller = vtkMultiProcessController::GetGlobalController();
  return controller && controller->GetNumberOfProcesses() > 1 ? controller : nullptr;
}

std::string Broadcast(vtkMultiProcessController* controller, const std::string& text, int root)
{
  vtkIdType size = static_cast<vtkIdType>(text.size());
  controller->Broadcast(&size, 1, root);
  std::string received(text);
  received.resize(static_cast<std::size_t>(size));
  if (size > 0)
  {
    controller->Broadcast(received.data(), size, root);
  }
  return received;
}
}

int Rank()
{
  auto* controller = Controller();
  return controller ? controller->GetLocalProcessId() : 0;
}

int Size()
{
  auto* controller = Controller();
  return controller ? controller->GetNumberOfProcesses() : 1;
}

std::string BroadcastFromRoot(const std::string& text)
{
  auto* controller = Controller();
  return controller ? Broadcast(controller, text, 0) : text;
}

std::string FirstError(const std::string& error)
{
  auto* controller = Controller();
  if (!controller)
  {
    return error;
  }
  const int ranks = controller->GetNumberOfProcesses();
  const int mine = error.empty() ? ranks : controller->GetLocalProcessId();
  int first = ranks;
  controller->AllReduce(&mine, &first, 1, vtkCommunicator::MIN_OP);
  return first == ranks ? std::string() : Broadcast(controller, error, first);
}

}
