// SPDX-License-Identifier: BSD-3-Clause
#include "Mpi/GroupBarrier.h"

#include "Mpi/Leak.h"

namespace dsm
{

GroupBarrier::GroupBarrier(const Communicator& ours, int otherLeader, int tag)
  : Group(ours)
  , OtherLeader(otherLeader)
  , Tag(tag)
  , Nothing(std::make_unique<char>())
{
  if (ours.Rank() != 0)
  {
    this->Send(ours.Handle(), 0);
    this->Await(ours.Handle(), 0);
    return;
  }
  for (int rank = 1; rank < ours.Size(); ++rank)
  {
    this->Await(ours.Handle(), rank);
  }
}

GroupBarrier::~GroupBarrier()
{
  for (Request& request : this->Coming)
  {
    request.Cancel();
  }
  if (!this->Coming.empty())
  {
    Leak(std::move(this->Nothing));
  }
}

void GroupBarrier::Await(MPI_Comm comm, int from)
{
  this->Coming.push_back(Request::Receive(comm, from, this->Tag, this->Nothing.get(), 0));
}

void GroupBarrier::Send(MPI_Comm comm, int to)
{
  this->Sent.push_back(Request::Send(comm, to, this->Tag, this->Nothing.get(), 0));
}

bool GroupBarrier::ReceivedAll()
{
  while (!this->Coming.empty() && this->Coming.back().Done())
  {
    this->Coming.pop_back();
  }
  return this->Coming.empty();
}

bool GroupBarrier::Done()
{
  if (this->AllComplete || !this->ReceivedAll())
  {
    return this->AllComplete;
  }
  if (this->Group.Rank() == 0 && !this->OursComplete)
  {
    this->OursComplete = true;
    this->Send(MPI_COMM_WORLD, this->OtherLeader);
    this->Await(MPI_COMM_WORLD, this->OtherLeader);
    if (!this->ReceivedAll())
    {
      return false;
    }
  }
  this->AllComplete = true;
  for (int rank = 1; this->Group.Rank() == 0 && rank < this->Group.Size(); ++rank)
  {
    this->Send(this->Group.Handle(), rank);
  }
  return true;
}

const char* GroupBarrier::Missing() const
{
  if (this->Group.Rank() != 0)
  {
    return "word from its side's first rank that all have come";
  }
  return this->OursComplete ? "the other side" : "all ranks of its own side";
}

}
