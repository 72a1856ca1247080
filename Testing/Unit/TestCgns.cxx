// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Cgns.h"
#include "MemoryFacts.h"

#include <gtest/gtest.h>

namespace
{
using Numbers = std::vector<double>;
using Shape = std::vector<hsize_t>;

// A node: a group with a label, and its data.
void Add(MemoryFacts& file, const std::string& path, const char* label, const Numbers& data = {})
{
  file.Group(path).With("label", label);
  if (!data.empty())
  {
    file.Data(path + "/ data", { data.size() }).OfType("int32").Holding(data);
  }
}

// Letters are numbers.
void AddText(MemoryFacts& file, const std::string& path, const char* label, const std::string& text)
{
  Add(file, path, label, Numbers(text.begin(), text.end()));
}

void AddArray(MemoryFacts& file, const std::string& path, const Shape& shape)
{
  file.Group(path).With("label", "DataArray_t");
  file.Data(path + "/ data", shape);
}

void AddBase(MemoryFacts& file, double dimensions)
{
  Add(file, "/CGNSLibraryVersion", "CGNSLibraryVersion_t");
  Add(file, "/Base", "CGNSBase_t", { dimensions, dimensions });
}

// 4 x 3 points, and values of points and of cells.
void FillStructured(MemoryFacts& file)
{
  AddBase(file, 2);
  Add(file, "/Base/Zone", "Zone_t", { 4, 3, 3, 2, 0, 0 });
  AddText(file, "/Base/Zone/ZoneType", "ZoneType_t", "Structured");
  Add(file, "/Base/Zone/GridCoordinates", "GridCoordinates_t");
  AddArray(file, "/Base/Zone/GridCoordinates/CoordinateX", { 3, 4 });
  AddArray(file, "/Base/Zone/GridCoordinates/CoordinateY", { 3, 4 });
  Add(file, "/Base/Zone/Points", "FlowSolution_t");
  AddArray(file, "/Base/Zone/Points/VelocityX", { 3, 4 });
  AddArray(file, "/Base/Zone/Points/VelocityY", { 3, 4 });
  Add(file, "/Base/Zone/Cells", "FlowSolution_t");
  AddText(file, "/Base/Zone/Cells/GridLocation", "GridLocation_t", "CellCenter");
  AddArray(file, "/Base/Zone/Cells/Pressure", { 2, 3 });
}

// Six points, two triangles and a quadrilateral, and a boundary of bars.
void FillUnstructured(MemoryFacts& file)
{
  AddBase(file, 2);
  Add(file, "/Base/Zone", "Zone_t", { 6, 3, 0 });
  AddText(file, "/Base/Zone/ZoneType", "ZoneType_t", "Unstructured");
  Add(file, "/Base/Zone/GridCoordinates", "GridCoordinates_t");
  AddArray(file, "/Base/Zone/GridCoordinates/CoordinateX", { 6 });
  AddArray(file, "/Base/Zone/GridCoordinates/CoordinateY", { 6 });
  const auto addSection =
    [&](const std::string& name, double type, const Numbers& range, hsize_t points)
  {
    Add(file, "/Base/Zone/" + name, "Elements_t", { type, 0 });
    Add(file, "/Base/Zone/" + name + "/ElementRange", "IndexRange_t", range);
    AddArray(file, "/Base/Zone/" + name + "/ElementConnectivity", { points });
  };
  addSection("Triangles", 5, { 1, 2 }, 6);
  addSection("Quads", 7, { 3, 3 }, 4);
  addSection("Border", 3, { 4, 5 }, 4);
  addSection("Mixed", 20, { 6, 6 }, 4);
  addSection("Odd", 99, { 7, 7 }, 4);
  addSection("Short", 5, { 8, 9 }, 5);
  Add(file, "/Base/Zone/Cells", "FlowSolution_t");
  AddText(file, "/Base/Zone/Cells/GridLocation", "GridLocation_t", "CellCenter");
  AddArray(file, "/Base/Zone/Cells/Pressure", { 3 });
  AddArray(file, "/Base/Zone/Cells/Wrong", { 4 });
}

std::string Padded(std::string text)
{
  text.resize(32, ' ');
  return text;
}
}

TEST(CgnsRecogniser, MakesPartsOfZones)
{
  CheckRecogniser(dsm::describe::RecogniseCgns,
    {
      { "structured", FillStructured, R"(CGNS: the file says which version of CGNS it is of
part Zone: curvilinear, 4 x 3 x 1 points, at /Base/Zone/GridCoordinates/CoordinateX/ data[y:3, x:4], /Base/Zone/GridCoordinates/CoordinateY/ data[y:3, x:4]
  cell array Pressure: /Base/Zone/Cells/Pressure/ data[y:2, x:3]
  point array Velocity: /Base/Zone/Points/VelocityX/ data[y:3, x:4], /Base/Zone/Points/VelocityY/ data[y:3, x:4])" },
      { "unstructured, by sections", FillUnstructured,
        R"(CGNS: the file says which version of CGNS it is of
part Zone Quads: unstructured, 6 points at /Base/Zone/GridCoordinates/CoordinateX/ data from its element 0[i:6], /Base/Zone/GridCoordinates/CoordinateY/ data from its element 0[i:6]; 1 cells of VTK's type 9 with 4 points each, /Base/Zone/Quads/ElementConnectivity/ data from its element 0[i:1, c:4], points from 1
  cell array Pressure: /Base/Zone/Cells/Pressure/ data[i:1 from 2]
part Zone Triangles: unstructured, 6 points at /Base/Zone/GridCoordinates/CoordinateX/ data from its element 0[i:6], /Base/Zone/GridCoordinates/CoordinateY/ data from its element 0[i:6]; 2 cells of VTK's type 5 with 3 points each, /Base/Zone/Triangles/ElementConnectivity/ data from its element 0[i:2, c:3], points from 1
  cell array Pressure: /Base/Zone/Cells/Pressure/ data[i:2]
left out: /Base/Zone/Border: its elements are of the boundary
left out: /Base/Zone/Mixed: elements of several types in one section are not supported
left out: /Base/Zone/Odd: elements of CGNS' type 99 are not supported
left out: /Base/Zone/Cells/Wrong: it has 4 values, which do not fit Zone Quads
left out: /Base/Zone/Short: its list of points has another length
left out: /Base/Zone/Cells/Wrong: it has 4 values, which do not fit Zone Triangles)" },
      { "the solution of a step",
        [](MemoryFacts& file)
        {
          FillStructured(file);
          Add(file, "/Base/Iterative", "BaseIterativeData_t");
          file.Group("/Base/Iterative/TimeValues").With("label", "DataArray_t");
          file.Data("/Base/Iterative/TimeValues/ data", { 2 }).Holding({ 0.5, 1.5 });
          Add(file, "/Base/Zone/Iterative", "ZoneIterativeData_t");
          AddText(file, "/Base/Zone/Iterative/FlowSolutionPointers", "DataArray_t",
            Padded("Points") + Padded("Cells"));
        },
        R"(CGNS: the file says which version of CGNS it is of
time 0.5
step 0 of 2, times 0.5 to 1.5
part Zone: curvilinear, 4 x 3 x 1 points, at /Base/Zone/GridCoordinates/CoordinateX/ data[y:3, x:4], /Base/Zone/GridCoordinates/CoordinateY/ data[y:3, x:4]
  point array Velocity: /Base/Zone/Points/VelocityX/ data[y:3, x:4], /Base/Zone/Points/VelocityY/ data[y:3, x:4])",
        0 },
    });
}

TEST(CgnsRecogniser, SaysWhatCannotBeShown)
{
  CheckRecogniser(dsm::describe::RecogniseCgns,
    {
      { "no zone", [](MemoryFacts& file) { AddBase(file, 3); },
        R"(error: /runs/out.h5 is a CGNS file, and none of its zones can be shown: it has none)" },
      { "no coordinates",
        [](MemoryFacts& file)
        {
          AddBase(file, 3);
          Add(file, "/Base/Zone", "Zone_t", { 4, 3, 0 });
        },
        R"(error: /runs/out.h5 is a CGNS file, and none of its zones can be shown: /Base/Zone: it has no coordinates)" },
      { "coordinates of a cylinder",
        [](MemoryFacts& file)
        {
          AddBase(file, 3);
          Add(file, "/Base/Zone", "Zone_t", { 4, 3, 0 });
          Add(file, "/Base/Zone/GridCoordinates", "GridCoordinates_t");
          AddArray(file, "/Base/Zone/GridCoordinates/CoordinateR", { 4 });
        },
        R"(error: /runs/out.h5 is a CGNS file, and none of its zones can be shown: /Base/Zone: its coordinates are not x, y and z)" },
      { "values on faces, beside others",
        [](MemoryFacts& file)
        {
          FillStructured(file);
          AddText(file, "/Base/Zone/Points/GridLocation", "GridLocation_t", "FaceCenter");
        },
        R"(CGNS: the file says which version of CGNS it is of
part Zone: curvilinear, 4 x 3 x 1 points, at /Base/Zone/GridCoordinates/CoordinateX/ data[y:3, x:4], /Base/Zone/GridCoordinates/CoordinateY/ data[y:3, x:4]
  cell array Pressure: /Base/Zone/Cells/Pressure/ data[y:2, x:3]
left out: /Base/Zone/Points: it lies on FaceCenter)" },
      { "a name that two solutions have",
        [](MemoryFacts& file)
        {
          FillStructured(file);
          Add(file, "/Base/Zone/More", "FlowSolution_t");
          AddArray(file, "/Base/Zone/More/Velocity", { 3, 4 });
        },
        R"(CGNS: the file says which version of CGNS it is of
part Zone: curvilinear, 4 x 3 x 1 points, at /Base/Zone/GridCoordinates/CoordinateX/ data[y:3, x:4], /Base/Zone/GridCoordinates/CoordinateY/ data[y:3, x:4]
  cell array Pressure: /Base/Zone/Cells/Pressure/ data[y:2, x:3]
  point array Velocity: /Base/Zone/More/Velocity/ data[y:3, x:4]
left out: /Base/Zone/Points: Velocity is there already, of another solution)" },
    });
}

TEST(CgnsRecogniser, IgnoresOtherFiles)
{
  CheckRecogniser(dsm::describe::RecogniseCgns,
    { { "a base without a version",
      [](MemoryFacts& file) { Add(file, "/Base", "CGNSBase_t", { 3, 3 }); }, "not recognised" } });
}
