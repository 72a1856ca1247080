// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <vector>

/// Three numbers in the order x, y, z.
using Index3 = std::array<int, 3>;

/// This rank's box of a periodic grid of points, and the exchange of its surface with the
/// neighbours.
///
/// The ranks form a grid (MPI_Cart). Along each axis the points are dealt out as evenly as they go:
/// the first `size % ranks` boxes have one more. A field is stored with one layer of neighbours'
/// points around it, the halo; x runs fastest:
///
///      halo  o o o o o o
///            o x x x x o      x: points this rank owns, [1, Count] along each axis
///            o x x x x o      o: copies of the neighbours' points, made by Exchange
///            o o o o o o
class Domain
{
public:
  /// Collective. Throws on all ranks when there are more ranks along an axis than points.
  Domain(MPI_Comm world, const Index3& size);
  ~Domain();
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;

  MPI_Comm Communicator() const { return this->Comm; }
  int Rank() const { return this->MyRank; }
  const Index3& RankGrid() const { return this->Ranks; }

  const Index3& Size() const { return this->GlobalSize; } ///< points of the whole grid
  const Index3& Start() const { return this->MyStart; }   ///< the first point this rank owns
  const Index3& Count() const { return this->MyCount; }   ///< how many it owns
  const Index3& Stored() const { return this->MyStored; } ///< Count and the halo

  /// A field of this box, halo included.
  std::vector<double> NewField(double value) const;

  /// Where a point of a field is stored; owned points have coordinates 1 to Count.
  std::size_t Offset(int x, int y, int z) const
  {
    return (static_cast<std::size_t>(z) * this->MyStored[1] + y) * this->MyStored[0] + x;
  }

  /// Collective. Fills the faces of the fields' halos; a seven-point stencil needs no edges.
  void Exchange(const std::vector<double*>& fields) const;

  /// Calls visit(outside, inside) for each point of the halo that would lie beyond the whole grid
  /// if that were not periodic, with the offset of the grid's point beside it.
  template <typename Visit>
  void VisitOutside(const Visit& visit) const
  {
    for (int axis = 0; axis < 3; ++axis)
    {
      if (this->MyStart[axis] == 0)
      {
        this->VisitFace(axis, 0, 1, visit);
      }
      if (this->MyStart[axis] + this->MyCount[axis] == this->GlobalSize[axis])
      {
        this->VisitFace(axis, this->MyCount[axis] + 1, this->MyCount[axis], visit);
      }
    }
  }

private:
  /// One face: whom it is shared with, which layer goes there, and which layer comes from there.
  struct Face
  {
    int Neighbour = MPI_PROC_NULL;
    MPI_Datatype Send = MPI_DATATYPE_NULL;
    MPI_Datatype Receive = MPI_DATATYPE_NULL;
  };

  MPI_Datatype Layer(int axis, int position) const;

  template <typename Visit>
  void VisitFace(int axis, int outside, int inside, const Visit& visit) const
  {
    const int second = (axis + 1) % 3;
    const int third = (axis + 2) % 3;
    Index3 point{};
    for (point[third] = 1; point[third] <= this->MyCount[third]; ++point[third])
    {
      for (point[second] = 1; point[second] <= this->MyCount[second]; ++point[second])
      {
        point[axis] = outside;
        const std::size_t beyond = this->Offset(point[0], point[1], point[2]);
        point[axis] = inside;
        visit(beyond, this->Offset(point[0], point[1], point[2]));
      }
    }
  }

  Index3 GlobalSize;
  Index3 Ranks{};
  Index3 MyStart{};
  Index3 MyCount{};
  Index3 MyStored{};
  MPI_Comm Comm = MPI_COMM_NULL;
  int MyRank = 0;
  std::array<Face, 6> Faces; ///< x low, x high, y low, …
};
