// SPDX-License-Identifier: BSD-3-Clause
#include "Mpi/Arrival.h"

#include "Mpi/Abandon.h"

namespace dsm
{

Arrival::Arrival(const Communicator& ours, int otherLeader, int tag)
  : Group(ours)
  , OtherLeader(otherLeader)
  , Tag(tag)
  , Nothing(std::make_unique<char>())
{
  if (ours.Rank() != 0)
  {
    this->Say(ours.Handle(), 0);
    this->Await(ours.Handle(), 0);
    return;
  }
  for (int rank = 1; rank < ours.Size(); ++rank)
  {
    this->Await(ours.Handle(), rank);
  }
}

Arrival::~Arrival()
{
  for (Request& request : this->Coming)
  {
    request.Cancel();
  }
  if (!this->Coming.empty())
  {
    Abandon(std::move(this->Nothing));
  }
}

void Arrival::Await(MPI_Comm comm, int from)
{
  this->Coming.push_back(Request::Receive(comm, from, this->Tag, this->Nothing.get(), 0));
}

void Arrival::Say(MPI_Comm comm, int to)
{
  this->Sent.push_back(Request::Send(comm, to, this->Tag, this->Nothing.get(), 0));
}

bool Arrival::HaveHeard()
{
  while (!this->Coming.empty() && this->Coming.back().Done())
  {
    this->Coming.pop_back();
  }
  return this->Coming.empty();
}

bool Arrival::Done()
{
  if (this->MetAll || !this->HaveHeard())
  {
    return this->MetAll;
  }
  if (this->Group.Rank() == 0 && !this->MetOurs)
  {
    this->MetOurs = true;
    this->Say(MPI_COMM_WORLD, this->OtherLeader);
    this->Await(MPI_COMM_WORLD, this->OtherLeader);
    if (!this->HaveHeard())
    {
      return false;
    }
  }
  this->MetAll = true;
  for (int rank = 1; this->Group.Rank() == 0 && rank < this->Group.Size(); ++rank)
  {
    this->Say(this->Group.Handle(), rank);
  }
  return true;
}

const char* Arrival::WaitsFor() const
{
  if (this->Group.Rank() != 0)
  {
    return "word from its side's first rank that all have come";
  }
  return this->MetOurs ? "the other side" : "all ranks of its own side";
}

}
