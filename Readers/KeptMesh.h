// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vtkSmartPointer.h>
#include <vtkType.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

class vtkDataArray;
class vtkDataObject;
class vtkDataSet;
class vtkObject;

namespace dsm::readers
{

/// The mesh of the data that a reader has handed out last: points, cells, types of cells, axes of
/// rectilinear grids, and ghost arrays of each leaf. Each snapshot is read into new objects, also
/// if the mesh stays, and what is kept of a mesh (bounds, surfaces) holds only for objects that are
/// neither new nor modified. So the objects of a leaf that hold the same bytes as the ones before
/// are replaced by these.
///
/// Filters compare modification times: if any object is new, the mesh has to be newer than before.
/// So a leaf has all of its old objects or none, and no leaf has if there are other leaves than
/// before: the newest object might be the one that is gone.
///
/// Surfaces and lists of points (vtkPolyData) have new objects each time. They are drawn as they
/// are, while ParaView copies the values of each point into a mesh that it has kept: in version
/// 5.13 this takes ten times as long.
///
/// An object that somebody has modified since it was handed out is not used again. If a filter has
/// changed values in place, and has not called Modified, the comparison finds the difference.
class KeptMesh
{
public:
  /// Replaces the mesh of data that was just read, in each leaf that equals the one before, and
  /// keeps it for the next data. Objects that are replaced are released. Calls `stays` for each
  /// array of a leaf's mesh that is handed out again.
  void Use(
    vtkDataObject* data, const std::function<void(vtkDataArray*)>& stays = [](vtkDataArray*) {});

  /// Returns the bytes of the mesh that is kept.
  std::uint64_t Bytes() const;

private:
  // The mesh of a leaf, and the modification times of all that belongs to it.
  struct Kept
  {
    bool IsMeshOf(vtkDataSet* leaf) const;

    std::string Kind;
    std::vector<vtkSmartPointer<vtkObject>> Objects;
    std::vector<vtkMTimeType> Modified;
  };

  std::map<unsigned int, Kept> Before; ///< by the leaves' indices in composite data
};

}
