// SPDX-License-Identifier: BSD-3-Clause
#include "KeptMesh.h"

#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCompositeDataIterator.h>
#include <vtkCompositeDataSet.h>
#include <vtkDataArray.h>
#include <vtkPointData.h>
#include <vtkPointSet.h>
#include <vtkPoints.h>
#include <vtkRectilinearGrid.h>
#include <vtkStructuredGrid.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

namespace dsm::readers
{

namespace
{
std::string_view NameOf(vtkDataArray* array)
{
  return array->GetName() ? array->GetName() : "";
}

std::size_t BytesOf(vtkDataArray* array)
{
  return static_cast<std::size_t>(array->GetNumberOfValues()) *
    static_cast<std::size_t>(array->GetDataTypeSize());
}

bool SameBytes(vtkDataArray* one, vtkDataArray* other)
{
  if (one->GetDataType() != other->GetDataType() ||
    one->GetNumberOfComponents() != other->GetNumberOfComponents() ||
    one->GetNumberOfValues() != other->GetNumberOfValues() || NameOf(one) != NameOf(other) ||
    !one->HasStandardMemoryLayout() || !other->HasStandardMemoryLayout())
  {
    return false;
  }
  const std::size_t bytes = BytesOf(one);
  return bytes == 0 || std::memcmp(one->GetVoidPointer(0), other->GetVoidPointer(0), bytes) == 0;
}

// Returns the arrays that an object of a mesh consists of.
std::vector<vtkDataArray*> ArraysOf(vtkObject* object)
{
  if (auto* const points = vtkPoints::SafeDownCast(object))
  {
    return { points->GetData() };
  }
  if (auto* const cells = vtkCellArray::SafeDownCast(object))
  {
    return { cells->GetOffsetsArray(), cells->GetConnectivityArray() };
  }
  if (auto* const array = vtkDataArray::SafeDownCast(object))
  {
    return { array };
  }
  return {};
}

bool Same(vtkObject* one, vtkObject* other)
{
  if (!one || !other)
  {
    return one == other;
  }
  const auto left = ArraysOf(one), right = ArraysOf(other);
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), SameBytes);
}

std::vector<vtkMTimeType> TimesOf(const std::vector<vtkObject*>& objects)
{
  std::vector<vtkMTimeType> times;
  for (vtkObject* const object : objects)
  {
    times.push_back(object ? object->GetMTime() : 0);
    for (vtkDataArray* const array : ArraysOf(object))
    {
      times.push_back(array->GetMTime());
    }
  }
  return times;
}

// Returns the objects of a leaf's mesh in an order that depends on its class only; none of
// surfaces.
std::vector<vtkObject*> MeshOf(vtkDataSet* leaf)
{
  if (leaf->IsA("vtkPolyData"))
  {
    return {};
  }
  // The modification time of a mesh includes ghost arrays.
  const char* const ghosts = vtkDataSetAttributes::GhostArrayName();
  std::vector<vtkObject*> objects{ leaf->GetPointData()->GetArray(ghosts),
    leaf->GetCellData()->GetArray(ghosts) };
  if (auto* const points = vtkPointSet::SafeDownCast(leaf))
  {
    objects.push_back(points->GetPoints());
  }
  if (auto* const grid = vtkUnstructuredGrid::SafeDownCast(leaf))
  {
    objects.insert(objects.end(),
      { grid->GetCellTypesArray(), grid->GetCells(), grid->GetPolyhedronFaceLocations(),
        grid->GetPolyhedronFaces() });
  }
  else if (auto* const axes = vtkRectilinearGrid::SafeDownCast(leaf))
  {
    objects.insert(
      objects.end(), { axes->GetXCoordinates(), axes->GetYCoordinates(), axes->GetZCoordinates() });
  }
  return objects;
}

// Puts an array in the place of the one that has its name.
void Replace(vtkFieldData* among, vtkDataArray* read, vtkDataArray* old)
{
  if (read && read->GetName() && among->GetAbstractArray(read->GetName()) == read)
  {
    among->AddArray(old);
  }
}

// Makes objects in the order of MeshOf, which are the same, a leaf's mesh.
void SetMesh(vtkDataSet* leaf, const std::vector<vtkSmartPointer<vtkObject>>& objects)
{
  const auto array = [&](std::size_t index) { return vtkDataArray::SafeDownCast(objects[index]); };
  const auto cells = [&](std::size_t index) { return vtkCellArray::SafeDownCast(objects[index]); };
  const auto read = MeshOf(leaf);
  if (read.empty())
  {
    return;
  }
  Replace(leaf->GetPointData(), vtkDataArray::SafeDownCast(read[0]), array(0));
  Replace(leaf->GetCellData(), vtkDataArray::SafeDownCast(read[1]), array(1));
  if (auto* const set = vtkPointSet::SafeDownCast(leaf); set && read[2])
  {
    auto* const points = vtkPoints::SafeDownCast(objects[2]);
    // The coordinates may be an array of the points as well.
    Replace(set->GetPointData(), set->GetPoints()->GetData(), points->GetData());
    set->SetPoints(points);
  }
  if (auto* const grid = vtkUnstructuredGrid::SafeDownCast(leaf); grid && read[4])
  {
    grid->SetPolyhedralCells(
      vtkUnsignedCharArray::SafeDownCast(objects[3]), cells(4), cells(5), cells(6));
  }
  else if (auto* const axes = vtkRectilinearGrid::SafeDownCast(leaf))
  {
    axes->SetXCoordinates(array(2));
    axes->SetYCoordinates(array(3));
    axes->SetZCoordinates(array(4));
  }
}

// Returns the class of a leaf, and its extent if the numbers of its points do not say it.
std::string KindOf(vtkDataSet* leaf)
{
  const auto withExtent = [leaf](const int* extent)
  {
    std::string kind = leaf->GetClassName();
    for (int index = 0; index < 6; ++index)
    {
      kind += ' ' + std::to_string(extent[index]);
    }
    return kind;
  };
  if (auto* const curves = vtkStructuredGrid::SafeDownCast(leaf))
  {
    return withExtent(curves->GetExtent());
  }
  if (auto* const axes = vtkRectilinearGrid::SafeDownCast(leaf))
  {
    return withExtent(axes->GetExtent());
  }
  return leaf->GetClassName();
}

std::map<unsigned int, vtkDataSet*> LeavesOf(vtkDataObject* data)
{
  std::map<unsigned int, vtkDataSet*> found;
  if (auto* const whole = vtkDataSet::SafeDownCast(data))
  {
    found[0] = whole;
  }
  else if (auto* const composite = vtkCompositeDataSet::SafeDownCast(data))
  {
    const auto leaves = vtk::TakeSmartPointer(composite->NewIterator());
    for (leaves->InitTraversal(); !leaves->IsDoneWithTraversal(); leaves->GoToNextItem())
    {
      if (auto* const leaf = vtkDataSet::SafeDownCast(leaves->GetCurrentDataObject()))
      {
        found[leaves->GetCurrentFlatIndex()] = leaf;
      }
    }
  }
  return found;
}
}

bool KeptMesh::Kept::IsMeshOf(vtkDataSet* leaf) const
{
  const auto read = MeshOf(leaf);
  const auto times = TimesOf(std::vector<vtkObject*>(this->Objects.begin(), this->Objects.end()));
  return this->Kind == KindOf(leaf) && this->Modified == times &&
    std::equal(read.begin(), read.end(), this->Objects.begin(), this->Objects.end(), Same);
}

std::uint64_t KeptMesh::Bytes() const
{
  std::uint64_t bytes = 0;
  for (const auto& [index, leaf] : this->Before)
  {
    for (vtkObject* const object : leaf.Objects)
    {
      for (vtkDataArray* const array : ArraysOf(object))
      {
        bytes += BytesOf(array);
      }
    }
  }
  return bytes;
}

void KeptMesh::Use(vtkDataObject* data, const std::function<void(vtkDataArray*)>& stays)
{
  const auto leaves = LeavesOf(data);
  const bool sameLeaves = std::equal(leaves.begin(), leaves.end(), this->Before.begin(),
    this->Before.end(), [](const auto& now, const auto& then) { return now.first == then.first; });
  std::map<unsigned int, Kept> now;
  for (const auto& [index, leaf] : leaves)
  {
    if (sameLeaves && this->Before[index].IsMeshOf(leaf))
    {
      now[index] = this->Before[index];
      for (vtkObject* const object : now[index].Objects)
      {
        std::ranges::for_each(ArraysOf(object), stays);
      }
      SetMesh(leaf, now[index].Objects);
    }
    else
    {
      const auto read = MeshOf(leaf);
      now[index] = { KindOf(leaf), { read.begin(), read.end() }, TimesOf(read) };
    }
  }
  this->Before = std::move(now);
}

}
