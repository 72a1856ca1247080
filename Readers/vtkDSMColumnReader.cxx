// SPDX-License-Identifier: BSD-3-Clause
#include "vtkDSMColumnReader.h"

#include "Base/Error.h"
#include "Describe/Hdf5Contents.h"
#include "Hdf5Array.h"

#include <vtkCellArray.h>
#include <vtkDataArraySelection.h>
#include <vtkDataObjectTypes.h>
#include <vtkDoubleArray.h>
#include <vtkFloatArray.h>
#include <vtkInformation.h>
#include <vtkInformationVector.h>
#include <vtkObjectFactory.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkStreamingDemandDrivenPipeline.h>
#include <vtkTable.h>

#include <algorithm>

using dsm::Error;
using dsm::Fault;
using dsm::hdf5::Coordinates;
using dsm::hdf5::Object;
using SDDP = vtkStreamingDemandDrivenPipeline;

namespace
{
struct Rows
{
  hsize_t First = 0, Count = 0;
};

Rows RowsOfPiece(hsize_t all, vtkInformation* info)
{
  const auto pieces = static_cast<hsize_t>(std::max(1, info->Get(SDDP::UPDATE_NUMBER_OF_PIECES())));
  const auto piece = static_cast<hsize_t>(std::max(0, info->Get(SDDP::UPDATE_PIECE_NUMBER())));
  const hsize_t first = all * piece / pieces;
  return { first, all * (piece + 1) / pieces - first };
}

vtkSmartPointer<vtkDataArray> ReadRows(hid_t file, const Object& column, const Rows& rows)
{
  dsm::hdf5::Box box;
  box.Start[0] = rows.First;
  box.Count[0] = rows.Count;
  if (column.Shape.size() == 2)
  {
    box.Count[1] = column.Shape[1];
  }
  return dsm::hdf5::ReadBox(file, column, box, true);
}

bool EndsWith(const std::string& path, const std::string& name)
{
  const std::string wanted = name.front() == '/' ? name : "/" + name;
  return path.size() >= wanted.size() &&
    path.compare(path.size() - wanted.size(), wanted.size(), wanted) == 0;
}

const Object& ColumnNamed(
  const std::vector<Object>& columns, const std::string& name, const std::string& file)
{
  const auto found = std::find_if(columns.begin(), columns.end(),
    [&](const Object& column) { return EndsWith(column.Path, name); });
  if (found == columns.end())
  {
    std::string list;
    for (const Object& column : columns)
    {
      list += (list.empty() ? "" : ", ") + column.Path.substr(1);
    }
    throw Error(Fault::Usage,
      "{} has no column \"{}\" for the coordinates: choose among {}, or leave the choice empty",
      file, name, list);
  }
  return *found;
}

vtkSmartPointer<vtkPoints> ReadPoints(hid_t file, const Coordinates& chosen, const Rows& rows)
{
  std::vector<vtkSmartPointer<vtkDataArray>> parts;
  parts.reserve(chosen.Columns.size());
  for (const Object& column : chosen.Columns)
  {
    parts.push_back(ReadRows(file, column, rows));
  }
  const bool isFloat = std::all_of(
    parts.begin(), parts.end(), [](const auto& part) { return part->GetDataType() == VTK_FLOAT; });
  auto points = vtkSmartPointer<vtkPoints>::New();
  points->SetDataType(isFloat ? VTK_FLOAT : VTK_DOUBLE);
  points->SetNumberOfPoints(static_cast<vtkIdType>(rows.Count));
  auto* data = points->GetData();
  data->Fill(0);
  int axis = 0;
  for (const auto& part : parts)
  {
    for (int component = 0; component < part->GetNumberOfComponents() && axis < 3; ++component)
    {
      data->CopyComponent(axis++, part, component);
    }
  }
  return points;
}

vtkSmartPointer<vtkCellArray> VertexPerPoint(vtkIdType count)
{
  auto vertices = vtkSmartPointer<vtkCellArray>::New();
  vertices->AllocateExact(count, count);
  for (vtkIdType point = 0; point < count; ++point)
  {
    vertices->InsertNextCell(1, &point);
  }
  return vertices;
}
}

class vtkDSMColumnReader::vtkInternals
{
public:
  dsm::hdf5::FileHandle File;
  std::string OpenName;
  std::vector<Object> Columns;
  Coordinates Axes;

  void Open(const vtkDSMColumnReader& self)
  {
    if (this->OpenName != self.FileName || this->File < 0)
    {
      this->OpenName.clear();
      this->File = dsm::hdf5::OpenFile(self.FileName);
      this->Columns = dsm::hdf5::FindColumns(dsm::hdf5::ListObjects(this->File));
      this->OpenName = self.FileName;
    }
    if (this->Columns.empty())
    {
      throw Error(Fault::Unsupported,
        "{} holds no datasets of numbers with one dimension (or two, with at most 9 numbers per "
        "row) that could be columns: there is nothing to show",
        self.FileName);
    }
    this->Axes = {};
    for (const std::string& name : self.CoordinateColumns)
    {
      if (!name.empty())
      {
        this->Axes.Columns.push_back(ColumnNamed(this->Columns, name, self.FileName));
      }
    }
    if (!this->Axes)
    {
      this->Axes = dsm::hdf5::GuessCoordinates(this->Columns);
    }
    if (self.AsPoints && !this->Axes)
    {
      throw Error(Fault::Usage,
        "{} has no columns called x and y (and z), or coordinates: name those to take as the "
        "points' coordinates, or show it as a table",
        self.FileName);
    }
  }
};

vtkStandardNewMacro(vtkDSMColumnReader);

vtkDSMColumnReader::vtkDSMColumnReader()
  : Internals(std::make_unique<vtkInternals>())
{
}

vtkDSMColumnReader::~vtkDSMColumnReader() = default;

void vtkDSMColumnReader::SetCoordinateColumn(int axis, const std::string& name)
{
  auto& column = this->CoordinateColumns.at(static_cast<std::size_t>(axis));
  if (column != name)
  {
    column = name;
    this->Modified();
  }
}

int vtkDSMColumnReader::RequestDataObject(
  vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector)
{
  const int wanted = this->AsPoints ? VTK_POLY_DATA : VTK_TABLE;
  auto* info = outputVector->GetInformationObject(0);
  auto* output = info->Get(vtkDataObject::DATA_OBJECT());
  if (!output || output->GetDataObjectType() != wanted)
  {
    info->Set(vtkDataObject::DATA_OBJECT(),
      vtk::TakeSmartPointer(vtkDataObjectTypes::NewDataObject(wanted)));
  }
  return 1;
}

int vtkDSMColumnReader::RequestInformation(
  vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector)
{
  try
  {
    this->Internals->Open(*this);
    outputVector->GetInformationObject(0)->Set(CAN_HANDLE_PIECE_REQUEST(), 1);
    for (const Object& column : this->Internals->Columns)
    {
      // If it is known already, it stays enabled or disabled.
      this->PointArrays->AddArray(column.Path.c_str() + 1);
    }
    return 1;
  }
  catch (const std::exception& error)
  {
    vtkErrorMacro(<< error.what());
    return 0;
  }
}

int vtkDSMColumnReader::RequestData(
  vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector)
{
  try
  {
    auto& internals = *this->Internals;
    internals.Open(*this);
    auto* info = outputVector->GetInformationObject(0);
    const Rows rows = RowsOfPiece(internals.Columns.front().Shape.front(), info);
    auto* points = vtkPolyData::GetData(info);
    if (points)
    {
      points->SetPoints(ReadPoints(internals.File, internals.Axes, rows));
      points->SetVerts(VertexPerPoint(points->GetNumberOfPoints()));
    }
    for (const Object& column : internals.Columns)
    {
      if (!this->PointArrays->ArrayIsEnabled(column.Path.c_str() + 1))
      {
        continue;
      }
      const auto array = ReadRows(internals.File, column, rows);
      if (points)
      {
        points->GetPointData()->AddArray(array);
      }
      else
      {
        vtkTable::GetData(info)->AddColumn(array);
      }
    }
    return 1;
  }
  catch (const std::exception& error)
  {
    vtkErrorMacro(<< error.what());
    return 0;
  }
}

void vtkDSMColumnReader::PrintSelf(ostream& os, vtkIndent indent)
{
  this->Superclass::PrintSelf(os, indent);
  os << indent << "AsPoints: " << this->AsPoints << "\n";
}
