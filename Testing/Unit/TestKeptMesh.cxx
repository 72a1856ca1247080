// SPDX-License-Identifier: BSD-3-Clause
// Geometry that equals the one before is handed out as the same objects, and no other.
#include "Readers/KeptMesh.h"

#include <gtest/gtest.h>

#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCellType.h>
#include <vtkDoubleArray.h>
#include <vtkFloatArray.h>
#include <vtkImageData.h>
#include <vtkMultiBlockDataSet.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkRectilinearGrid.h>
#include <vtkStructuredGrid.h>
#include <vtkTable.h>
#include <vtkTypeInt32Array.h>
#include <vtkTypeInt64Array.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>
#include <vtkWeakPointer.h>

#include <initializer_list>

namespace
{

using dsm::readers::KeptMesh;

template <typename Array>
vtkSmartPointer<Array> ArrayOf(std::initializer_list<typename Array::ValueType> values)
{
  auto array = vtkSmartPointer<Array>::New();
  for (const auto value : values)
  {
    array->InsertNextValue(value);
  }
  return array;
}

// Two triangles of four points.
struct Shape
{
  double X = 0; ///< of the last point
  vtkIdType Corner = 3;
  unsigned char Type = VTK_TRIANGLE;
  int Precision = VTK_DOUBLE;
  bool Short = false; ///< indices have 32 bits
  double Value = 0;   ///< of the field
};

vtkSmartPointer<vtkPoints> PointsOf(const Shape& shape)
{
  auto points = vtkSmartPointer<vtkPoints>::New();
  points->SetDataType(shape.Precision);
  points->InsertNextPoint(0, 0, 0);
  points->InsertNextPoint(1, 0, 0);
  points->InsertNextPoint(0, 1, 0);
  points->InsertNextPoint(shape.X, 1, 1);
  return points;
}

vtkSmartPointer<vtkCellArray> CellsOf(const Shape& shape)
{
  auto cells = vtkSmartPointer<vtkCellArray>::New();
  if (shape.Short)
  {
    const auto corner = static_cast<int>(shape.Corner);
    cells->SetData(ArrayOf<vtkTypeInt32Array>({ 0, 3, 6 }),
      ArrayOf<vtkTypeInt32Array>({ 0, 1, 2, 1, 2, corner }));
  }
  else
  {
    cells->SetData(ArrayOf<vtkTypeInt64Array>({ 0, 3, 6 }),
      ArrayOf<vtkTypeInt64Array>({ 0, 1, 2, 1, 2, shape.Corner }));
  }
  return cells;
}

vtkSmartPointer<vtkDoubleArray> Field(double value)
{
  auto field = ArrayOf<vtkDoubleArray>({ value, value, value, value });
  field->SetName("u");
  return field;
}

using Grid = vtkSmartPointer<vtkUnstructuredGrid>;

Grid GridOf(const Shape& shape = {})
{
  auto grid = Grid::New();
  grid->SetPoints(PointsOf(shape));
  grid->SetCells(ArrayOf<vtkUnsignedCharArray>({ VTK_TRIANGLE, shape.Type }), CellsOf(shape));
  grid->GetPointData()->AddArray(Field(shape.Value));
  return grid;
}

// Hands out a new grid as readers do.
Grid Used(KeptMesh& mesh, const Shape& shape = {})
{
  auto grid = GridOf(shape);
  mesh.Use(grid);
  return grid;
}

TEST(KeptMesh, EqualMeshesAreTheSameObjects)
{
  KeptMesh mesh;
  const auto first = Used(mesh, { .Value = 1 });
  const auto time = first->GetMeshMTime();
  for (const double value : { 2., 3. })
  {
    const auto next = Used(mesh, { .Value = value });
    EXPECT_EQ(next->GetPoints(), first->GetPoints());
    EXPECT_EQ(next->GetCells(), first->GetCells());
    EXPECT_EQ(next->GetCellTypesArray(), first->GetCellTypesArray());
    EXPECT_EQ(next->GetMeshMTime(), time);
    EXPECT_EQ(next->GetPointData()->GetArray("u")->GetTuple1(0), value);
  }
}

// Nothing of one is the other's: filters compare modification times, not objects.
void ExpectNew(vtkUnstructuredGrid* now, vtkUnstructuredGrid* before)
{
  EXPECT_NE(now->GetPoints(), before->GetPoints());
  EXPECT_NE(now->GetCells(), before->GetCells());
  EXPECT_NE(now->GetCellTypesArray(), before->GetCellTypesArray());
  EXPECT_GT(now->GetMeshMTime(), before->GetMeshMTime());
}

TEST(KeptMesh, IsNewIfAPointMoves)
{
  KeptMesh mesh;
  const auto first = Used(mesh);
  const auto moved = Used(mesh, { .X = 0x1p-52 });
  ExpectNew(moved, first);
  EXPECT_EQ(moved->GetPoint(3)[0], 0x1p-52);
  // The grid before still has its own.
  EXPECT_EQ(first->GetPoint(3)[0], 0);
}

TEST(KeptMesh, ChangesOfASignOfZeroAreChanges)
{
  KeptMesh mesh;
  const auto first = Used(mesh);
  EXPECT_NE(Used(mesh, { .X = -0.0 })->GetPoints(), first->GetPoints());
}

TEST(KeptMesh, IsNewIfACellChanges)
{
  KeptMesh mesh;
  const auto first = Used(mesh), second = Used(mesh, { .Corner = 0 });
  ExpectNew(second, first);
  EXPECT_EQ(second->GetCells()->GetConnectivityArray()->GetTuple1(5), 0);
}

// The modification time of a mesh does not include that of the types.
TEST(KeptMesh, IsNewIfATypeOfCellChanges)
{
  KeptMesh mesh;
  const auto first = Used(mesh), second = Used(mesh, { .Type = VTK_QUADRATIC_EDGE });
  ExpectNew(second, first);
  EXPECT_EQ(second->GetCellType(1), VTK_QUADRATIC_EDGE);
}

TEST(KeptMesh, OtherTypesOfNumbersAreNew)
{
  KeptMesh mesh;
  const auto first = Used(mesh);
  const auto second = Used(mesh, { .Precision = VTK_FLOAT, .Short = true });
  EXPECT_EQ(second->GetPoints()->GetDataType(), VTK_FLOAT);
  EXPECT_FALSE(second->GetCells()->IsStorage64Bit());
}

TEST(KeptMesh, ModifiedObjectsAreNotUsedAgain)
{
  KeptMesh mesh;
  const auto first = Used(mesh);
  // The next snapshot's points would equal the ones that the filter has made.
  first->GetPoints()->SetPoint(3, 5, 1, 1);
  first->GetPoints()->Modified();
  const auto second = Used(mesh, { .X = 5 });
  ExpectNew(second, first);
  EXPECT_EQ(Used(mesh, { .X = 5 })->GetPoints(), second->GetPoints());
}

TEST(KeptMesh, ModifiedArraysOfCellsAreNotUsedAgain)
{
  KeptMesh mesh;
  const auto first = Used(mesh);
  first->GetCells()->GetConnectivityArray()->Modified();
  EXPECT_NE(Used(mesh)->GetCells(), first->GetCells());
}

TEST(KeptMesh, ValuesThatWereChangedSilentlyAreNotUsedAgain)
{
  KeptMesh mesh;
  const auto first = Used(mesh);
  first->GetPoints()->SetPoint(3, 5, 1, 1);
  const auto second = Used(mesh);
  EXPECT_NE(second->GetPoints(), first->GetPoints());
  EXPECT_EQ(second->GetPoint(3)[0], 0);
}

TEST(KeptMesh, ReplacedObjectsAreReleased)
{
  KeptMesh mesh;
  const auto first = Used(mesh);
  const auto second = GridOf();
  const vtkWeakPointer<vtkPoints> points = second->GetPoints();
  const vtkWeakPointer<vtkCellArray> cells = second->GetCells();
  mesh.Use(second);
  EXPECT_EQ(points, nullptr);
  EXPECT_EQ(cells, nullptr);
}

TEST(KeptMesh, MeshesOfTheSnapshotBeforeThatAreReleased)
{
  KeptMesh mesh;
  auto first = Used(mesh);
  const vtkWeakPointer<vtkPoints> points = first->GetPoints();
  first = nullptr;
  EXPECT_NE(points, nullptr);
  Used(mesh, { .X = 1 });
  EXPECT_EQ(points, nullptr);
}

TEST(KeptMesh, CoordinatesThatAreAnArrayAsWellStayOne)
{
  KeptMesh mesh;
  const auto make = [&mesh]
  {
    const auto data = GridOf();
    data->GetPoints()->GetData()->SetName("position");
    data->GetPointData()->RemoveArray("u");
    data->GetPointData()->SetScalars(Field(1));
    data->GetPointData()->AddArray(data->GetPoints()->GetData());
    mesh.Use(data);
    return data;
  };
  const auto first = make(), second = make();
  EXPECT_EQ(second->GetPoints(), first->GetPoints());
  ASSERT_EQ(second->GetPointData()->GetNumberOfArrays(), 2);
  EXPECT_EQ(second->GetPointData()->GetArray(1), first->GetPoints()->GetData());
  EXPECT_STREQ(second->GetPointData()->GetScalars()->GetName(), "u");
}

// ParaView would copy the values of each point into the mesh that it has kept.
TEST(KeptMesh, SurfacesAreNewEachTime)
{
  KeptMesh mesh;
  const auto make = [&mesh]
  {
    auto data = vtkSmartPointer<vtkPolyData>::New();
    data->SetPoints(PointsOf({}));
    data->SetPolys(CellsOf({}));
    mesh.Use(data);
    return data;
  };
  const auto first = make(), second = make();
  EXPECT_NE(second->GetPoints(), first->GetPoints());
  EXPECT_EQ(second->GetNumberOfCells(), 2);
  EXPECT_GT(second->GetMeshMTime(), first->GetMeshMTime());
}

TEST(KeptMesh, GhostArraysBelongToTheMesh)
{
  KeptMesh mesh;
  const auto make = [&mesh](unsigned char ghost)
  {
    auto grid = GridOf();
    const auto ghosts = ArrayOf<vtkUnsignedCharArray>({ 0, ghost });
    ghosts->SetName(vtkDataSetAttributes::GhostArrayName());
    grid->GetCellData()->AddArray(ghosts);
    mesh.Use(grid);
    return grid;
  };
  const auto first = make(1), second = make(1), third = make(0);
  EXPECT_EQ(second->GetMeshMTime(), first->GetMeshMTime());
  EXPECT_GT(third->GetMeshMTime(), first->GetMeshMTime());
  EXPECT_EQ(third->GetCellGhostArray()->GetValue(1), 0);
}

TEST(KeptMesh, AxesAndCurvilinearPointsStay)
{
  KeptMesh axes, curves;
  const auto makeAxes = [&axes](double last)
  {
    auto grid = vtkSmartPointer<vtkRectilinearGrid>::New();
    grid->SetDimensions(2, 2, 1);
    grid->SetXCoordinates(ArrayOf<vtkDoubleArray>({ 0, 1 }));
    grid->SetYCoordinates(ArrayOf<vtkDoubleArray>({ 0, last }));
    axes.Use(grid);
    return grid;
  };
  const auto first = makeAxes(1), second = makeAxes(1), third = makeAxes(2);
  EXPECT_EQ(second->GetXCoordinates(), first->GetXCoordinates());
  EXPECT_EQ(second->GetYCoordinates(), first->GetYCoordinates());
  EXPECT_NE(third->GetXCoordinates(), first->GetXCoordinates());
  EXPECT_NE(third->GetYCoordinates(), first->GetYCoordinates());
  const auto makeCurves = [&curves](int x, int y)
  {
    auto grid = vtkSmartPointer<vtkStructuredGrid>::New();
    grid->SetDimensions(x, y, 1);
    grid->SetPoints(PointsOf({}));
    curves.Use(grid);
    return grid;
  };
  const auto curved = makeCurves(2, 2);
  EXPECT_EQ(makeCurves(2, 2)->GetPoints(), curved->GetPoints());
  // The same points, and other cells.
  EXPECT_NE(makeCurves(4, 1)->GetPoints(), curved->GetPoints());
}

TEST(KeptMesh, LeavesOfCompositeDataAreKeptByTheirPlace)
{
  KeptMesh mesh;
  const auto make = [&mesh](double x)
  {
    auto blocks = vtkSmartPointer<vtkMultiBlockDataSet>::New();
    blocks->SetBlock(0, GridOf());
    blocks->SetBlock(2, GridOf({ .X = x }));
    blocks->SetBlock(3, vtkNew<vtkImageData>());
    mesh.Use(blocks);
    return blocks;
  };
  const auto leaf = [](vtkMultiBlockDataSet* blocks, unsigned int index)
  { return vtkUnstructuredGrid::SafeDownCast(blocks->GetBlock(index)); };
  const auto first = make(1), second = make(1), third = make(2);
  EXPECT_EQ(leaf(second, 0)->GetPoints(), leaf(first, 0)->GetPoints());
  EXPECT_EQ(leaf(second, 2)->GetPoints(), leaf(first, 2)->GetPoints());
  EXPECT_NE(leaf(first, 2)->GetPoints(), leaf(first, 0)->GetPoints());
  EXPECT_EQ(leaf(third, 0)->GetPoints(), leaf(first, 0)->GetPoints());
  EXPECT_NE(leaf(third, 2)->GetPoints(), leaf(first, 2)->GetPoints());
}

// The newest object may be the one that is gone, and the rest would seem to be the mesh before.
TEST(KeptMesh, IsNewIfALeafIsGone)
{
  KeptMesh mesh;
  const auto make = [&mesh](bool both)
  {
    auto blocks = vtkSmartPointer<vtkMultiBlockDataSet>::New();
    blocks->SetBlock(0, GridOf());
    blocks->SetBlock(1, both ? GridOf() : nullptr);
    mesh.Use(blocks);
    return blocks;
  };
  const auto first = make(true), second = make(false);
  const auto leaf = [](vtkMultiBlockDataSet* blocks, unsigned int index)
  { return vtkUnstructuredGrid::SafeDownCast(blocks->GetBlock(index)); };
  EXPECT_GT(leaf(second, 0)->GetMeshMTime(), leaf(first, 1)->GetMeshMTime());
}

TEST(KeptMesh, PolyhedraKeepTheirFaces)
{
  KeptMesh mesh;
  const auto make = [&mesh](vtkIdType corner)
  {
    auto grid = vtkSmartPointer<vtkUnstructuredGrid>::New();
    grid->SetPoints(PointsOf({}));
    vtkNew<vtkCellArray> faces;
    const vtkIdType triangles[4][3] = { { 0, 1, 2 }, { 0, 1, 3 }, { 1, 2, 3 }, { 0, 2, corner } };
    for (const auto& triangle : triangles)
    {
      faces->InsertNextCell(3, triangle);
    }
    const vtkIdType points[] = { 0, 1, 2, 3 };
    grid->InsertNextCell(VTK_POLYHEDRON, 4, points, faces);
    mesh.Use(grid);
    return grid;
  };
  const auto first = make(3), second = make(3), third = make(1);
  EXPECT_EQ(second->GetPolyhedronFaces(), first->GetPolyhedronFaces());
  EXPECT_EQ(second->GetMeshMTime(), first->GetMeshMTime());
  ExpectNew(third, first);
}

TEST(KeptMesh, CountsItsBytes)
{
  KeptMesh mesh;
  EXPECT_EQ(mesh.Bytes(), 0);
  Used(mesh);
  // Coordinates, offsets and connectivity, types.
  EXPECT_EQ(mesh.Bytes(), 4 * 3 * 8 + (3 + 6) * 8 + 2);
}

TEST(KeptMesh, OtherKindsOfDataForgetTheMesh)
{
  KeptMesh mesh;
  const auto first = Used(mesh);
  mesh.Use(vtkNew<vtkTable>());
  mesh.Use(vtkNew<vtkUnstructuredGrid>());
  EXPECT_NE(Used(mesh)->GetPoints(), first->GetPoints());
}

}
