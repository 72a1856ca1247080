// SPDX-License-Identifier: BSD-3-Clause
#include "Domain.h"

#include "Check.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace
{

/// The grid of ranks: MPI's factors, the largest along the longest axis. Of equal axes z comes
/// first, because whole planes are contiguous in a file.
Index3 ArrangeRanks(int ranks, const Index3& size)
{
  Index3 factors{};
  CheckMpi(MPI_Dims_create(ranks, 3, factors.data()), "MPI_Dims_create");
  std::sort(factors.rbegin(), factors.rend());
  Index3 axes{ 2, 1, 0 };
  std::stable_sort(axes.begin(), axes.end(), [&](int a, int b) { return size[a] > size[b]; });
  Index3 grid{};
  for (int i = 0; i < 3; ++i)
  {
    grid[axes[i]] = factors[i];
  }
  return grid;
}

}

Domain::Domain(MPI_Comm world, const Index3& size)
  : GlobalSize(size)
{
  int ranks = 0;
  CheckMpi(MPI_Comm_size(world, &ranks), "MPI_Comm_size");
  this->Ranks = ArrangeRanks(ranks, size);
  for (int axis = 0; axis < 3; ++axis)
  {
    if (this->Ranks[axis] > size[axis])
    {
      throw CommonFailure("a grid of " + std::to_string(size[0]) + " x " + std::to_string(size[1]) +
        " x " + std::to_string(size[2]) + " points is too small for " + std::to_string(ranks) +
        " ranks: each needs a point along each axis. Use fewer ranks or a "
        "larger --size");
    }
  }

  // MPI's Cartesian coordinates run slowest first: z, y, x.
  const Index3 grid{ this->Ranks[2], this->Ranks[1], this->Ranks[0] };
  const Index3 periodic{ 1, 1, 1 };
  CheckMpi(
    MPI_Cart_create(world, 3, grid.data(), periodic.data(), 1, &this->Comm), "MPI_Cart_create");
  CheckMpi(MPI_Comm_set_errhandler(this->Comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  CheckMpi(MPI_Comm_rank(this->Comm, &this->MyRank), "MPI_Comm_rank");
  Index3 place{};
  CheckMpi(MPI_Cart_coords(this->Comm, this->MyRank, 3, place.data()), "MPI_Cart_coords");
  std::reverse(place.begin(), place.end());

  for (int axis = 0; axis < 3; ++axis)
  {
    const int share = size[axis] / this->Ranks[axis];
    const int rest = size[axis] % this->Ranks[axis];
    this->MyCount[axis] = share + (place[axis] < rest ? 1 : 0);
    this->MyStart[axis] = place[axis] * share + std::min(place[axis], rest);
    this->MyStored[axis] = this->MyCount[axis] + 2;
  }

  for (int axis = 0; axis < 3; ++axis)
  {
    Face& low = this->Faces[std::size_t{ 2 } * axis];
    Face& high = this->Faces[std::size_t{ 2 } * axis + 1];
    CheckMpi(
      MPI_Cart_shift(this->Comm, 2 - axis, 1, &low.Neighbour, &high.Neighbour), "MPI_Cart_shift");
    low.Receive = this->Layer(axis, 0);
    low.Send = this->Layer(axis, 1);
    high.Send = this->Layer(axis, this->MyCount[axis]);
    high.Receive = this->Layer(axis, this->MyCount[axis] + 1);
  }
}

Domain::~Domain()
{
  for (Face& face : this->Faces)
  {
    for (MPI_Datatype* type : { &face.Send, &face.Receive })
    {
      if (*type != MPI_DATATYPE_NULL)
      {
        MPI_Type_free(type);
      }
    }
  }
  if (this->Comm != MPI_COMM_NULL)
  {
    MPI_Comm_free(&this->Comm);
  }
}

MPI_Datatype Domain::Layer(int axis, int position) const
{
  Index3 count = this->MyCount;
  Index3 start{ 1, 1, 1 };
  count[axis] = 1;
  start[axis] = position;
  MPI_Datatype layer = MPI_DATATYPE_NULL;
  CheckMpi(MPI_Type_create_subarray(3, this->MyStored.data(), count.data(), start.data(),
             MPI_ORDER_FORTRAN, MPI_DOUBLE, &layer),
    "MPI_Type_create_subarray");
  CheckMpi(MPI_Type_commit(&layer), "MPI_Type_commit");
  return layer;
}

std::vector<double> Domain::NewField(double value) const
{
  return std::vector<double>(std::accumulate(this->MyStored.begin(), this->MyStored.end(),
                               std::size_t{ 1 }, std::multiplies<>()),
    value);
}

void Domain::Exchange(const std::vector<double*>& fields) const
{
  // A tag names the field and the face that the layer leaves by. Two neighbours may be the same
  // rank, or this one, when an axis has two ranks or one: the tags keep the layers apart.
  std::vector<MPI_Request> requests;
  requests.reserve(2 * this->Faces.size() * fields.size());
  for (std::size_t field = 0; field < fields.size(); ++field)
  {
    const int base = static_cast<int>(field * this->Faces.size());
    for (int face = 0; face < 6; ++face)
    {
      const Face& here = this->Faces[face];
      const int opposite = face ^ 1;
      CheckMpi(MPI_Irecv(fields[field], 1, here.Receive, here.Neighbour, base + opposite,
                 this->Comm, &requests.emplace_back()),
        "MPI_Irecv");
    }
    for (int face = 0; face < 6; ++face)
    {
      const Face& here = this->Faces[face];
      CheckMpi(MPI_Isend(fields[field], 1, here.Send, here.Neighbour, base + face, this->Comm,
                 &requests.emplace_back()),
        "MPI_Isend");
    }
  }
  CheckMpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
    "MPI_Waitall");
}
