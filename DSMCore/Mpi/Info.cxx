// SPDX-License-Identifier: BSD-3-Clause
#include "Mpi/Info.h"

#include "Mpi/Communicator.h"

#include <utility>

namespace dsm
{

Info Info::Adopt(MPI_Info info)
{
  Info made;
  made.Keys = info;
  return made;
}

Info Info::Duplicate(MPI_Info info)
{
  MPI_Info copy = MPI_INFO_NULL;
  if (info != MPI_INFO_NULL)
  {
    CheckMpi(MPI_Info_dup(info, &copy), "MPI_Info_dup");
  }
  return Adopt(copy);
}

Info Info::Empty()
{
  Info made;
  CheckMpi(MPI_Info_create(&made.Keys), "MPI_Info_create");
  return made;
}

Info::Info(Info&& other) noexcept
  : Keys(std::exchange(other.Keys, MPI_INFO_NULL))
{
}

Info& Info::operator=(Info&& other) noexcept
{
  std::swap(this->Keys, other.Keys);
  return *this;
}

Info::~Info()
{
  if (this->Keys != MPI_INFO_NULL && MpiIsAlive())
  {
    MPI_Info_free(&this->Keys);
  }
}

}
