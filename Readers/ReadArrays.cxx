// SPDX-License-Identifier: BSD-3-Clause
#include "ReadArrays.h"

#include "ArrayMemory.h"
#include "ArrayTypes.h"
#include "Base/Error.h"
#include "MappedArray.h"
#include "Memory/NodeMemory.h"
#include "RangedArray.h"

namespace dsm::readers
{

namespace
{
using describe::Number;

// Throws if an array of this size does not fit in memory: a file may say that it has much more than
// is in it. Where the system promises memory that it has not, whoever uses it is ended.
void CheckMemory(std::uint64_t bytes)
{
  constexpr std::uint64_t little = std::uint64_t(64) << 20;
  ArrayMemory& memory = ArrayMemory::OfProcess();
  if (bytes <= little || memory.Fits(bytes) || bytes <= AvailableMemory())
  {
    return;
  }
  memory.Free();
  const std::uint64_t left = AvailableMemory();
  if (bytes > left)
  {
    throw Error(Fault::System,
      "an array of {} MiB does not fit in the {} MiB of memory that are left: use more ranks, or "
      "show less of it",
      bytes >> 20, left >> 20);
  }
}

void ReleaseMemory(void* memory)
{
  ArrayMemory::OfProcess().Release(memory);
}

vtkSmartPointer<vtkDataArray> NewArray(
  Number number, std::uint64_t components, std::uint64_t tuples)
{
  const std::uint64_t bytes = components * tuples * describe::SizeOf(number);
  CheckMemory(bytes);
  auto array = NewRangedArray(VtkTypeOf(number));
  array->SetNumberOfComponents(static_cast<int>(components));
  if (void* const memory = ArrayMemory::OfProcess().Allocate(bytes))
  {
    array->SetVoidArray(memory, static_cast<vtkIdType>(components) * static_cast<vtkIdType>(tuples),
      0, vtkAbstractArray::VTK_DATA_ARRAY_USER_DEFINED);
    array->SetArrayFreeFunction(ReleaseMemory);
  }
  else
  {
    array->SetNumberOfTuples(static_cast<vtkIdType>(tuples));
  }
  return array;
}

std::uint64_t ComponentsOf(const std::vector<describe::Source>& sources)
{
  return sources.size() == 1 ? describe::ComponentsOf(sources[0]) : sources.size();
}

std::uint64_t TuplesOf(const std::vector<describe::Window>& windows)
{
  std::uint64_t tuples = 0;
  for (const auto& window : windows)
  {
    tuples += window.Tuples();
  }
  return tuples;
}

void ReadInto(describe::SourceReader& reader, const std::vector<describe::Source>& sources,
  const std::vector<describe::Window>& windows, vtkDataArray* array, Number number)
{
  const auto components = static_cast<std::uint64_t>(array->GetNumberOfComponents());
  vtkIdType place = 0;
  for (const auto& window : windows)
  {
    std::uint64_t component = 0;
    for (const auto& source : sources)
    {
      reader.Read(
        source, window, { array->GetVoidPointer(place), number, components, component++ });
    }
    place += static_cast<vtkIdType>(window.Tuples() * components);
  }
}
}

vtkSmartPointer<vtkDataArray> ReadSources(describe::SourceReader& reader,
  const std::vector<describe::Source>& sources, const std::vector<describe::Window>& windows)
{
  std::string why;
  if (auto mapped = MapArray(reader, sources, windows, why))
  {
    NoteMemory(mapped, "shared with the snapshot");
    return mapped;
  }
  const Number number = reader.TypeOf(sources);
  auto array = NewArray(number, ComponentsOf(sources), TuplesOf(windows));
  ReadInto(reader, sources, windows, array, number);
  NoteMemory(array, "copied: " + why);
  return array;
}

vtkSmartPointer<vtkDataArray> ReadArray(describe::SourceReader& reader,
  const describe::Array& array, const std::vector<describe::Window>& windows)
{
  auto made = ReadSources(reader, array.Sources, windows);
  made->SetName(array.Name.c_str());
  for (std::size_t component = 0; component < array.ComponentNames.size(); ++component)
  {
    made->SetComponentName(
      static_cast<vtkIdType>(component), array.ComponentNames[component].c_str());
  }
  return made;
}

vtkSmartPointer<vtkDataArray> ReadPoints(describe::SourceReader& reader,
  const describe::Coordinates& at, const std::vector<describe::Window>& windows)
{
  std::string why = "points have three coordinates of floating-point numbers";
  const Number number = describe::Common(reader.TypeOf(at), Number::Float32);
  if (ComponentsOf(at) == 3 && number == reader.TypeOf(at))
  {
    if (auto mapped = MapArray(reader, at, windows, why))
    {
      NoteMemory(mapped, "shared with the snapshot");
      return mapped;
    }
  }
  auto points = NewArray(number, 3, TuplesOf(windows));
  if (ComponentsOf(at) < 3)
  {
    points->Fill(0);
  }
  ReadInto(reader, at, windows, points, number);
  NoteMemory(points, "copied: " + why);
  return points;
}

}
