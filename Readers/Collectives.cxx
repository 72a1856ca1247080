// SPDX-License-Identifier: BSD-3-Clause
#include "Collectives.h"

#include "Mpi/Communicator.h"
#include "Mpi/RestingGroup.h"

#include <vtkMPI.h>
#include <vtkMPICommunicator.h>
#include <vtkMultiProcessController.h>

#include <cstdint>

namespace dsm::readers
{

int Rank()
{
  return Communicator::Borrow(AllRanks()).Rank();
}

int Size()
{
  return Communicator::Borrow(AllRanks()).Size();
}

MPI_Comm AllRanks()
{
  auto* controller = vtkMultiProcessController::GetGlobalController();
  auto* communicator =
    controller ? vtkMPICommunicator::SafeDownCast(controller->GetCommunicator()) : nullptr;
  return communicator && MpiIsAlive() ? *communicator->GetMPIComm()->GetHandle() : MPI_COMM_NULL;
}

std::string BroadcastFromRoot(const std::string& text)
{
  const auto ranks = Communicator::Borrow(AllRanks());
  return RestingGroup(ranks).BroadcastText(text);
}

std::string FirstError(const std::string& error)
{
  const auto ranks = Communicator::Borrow(AllRanks());
  const RestingGroup group(ranks);
  // The lowest rank with an error has the highest claim.
  const auto claim = static_cast<std::uint64_t>(group.Size() - group.Rank());
  const std::uint64_t highest = group.Max(error.empty() ? 0 : claim);
  return highest == 0 ? std::string()
                      : group.BroadcastText(error, group.Size() - static_cast<int>(highest));
}

}
