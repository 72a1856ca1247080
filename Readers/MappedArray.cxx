// SPDX-License-Identifier: BSD-3-Clause
#include "MappedArray.h"

#include "ArrayMemory.h"
#include "ArrayTypes.h"
#include "Driver/MemoryFile.h"
#include "Driver/OpenFiles.h"
#include "Peer/MappedSnapshots.h"
#include "RangedArray.h"

#include <vtkCompositeDataIterator.h>
#include <vtkCompositeDataSet.h>
#include <vtkDataSet.h>
#include <vtkFieldData.h>
#include <vtkInformation.h>
#include <vtkInformationStringKey.h>

#include <set>

namespace dsm::readers
{

namespace
{
vtkInformationStringKey* MemoryKey()
{
  static auto* const key = vtkInformationStringKey::MakeKey("MEMORY", "dsm");
  return key;
}

// VTK calls it as well for memory that it has allocated in place of ours.
void ReleaseMapped(void* memory)
{
  if (!MappedSnapshots::OfProcess().Release(static_cast<std::byte*>(memory)))
  {
    ArrayMemory::OfProcess().Release(memory);
  }
}

const SnapshotView* SnapshotOf(hid_t file)
{
  const OpenMemoryFile* const open = openfiles::Find(file);
  return open ? open->File->Snapshot() : nullptr;
}

void AddNotes(vtkFieldData* arrays, std::set<std::string>& known, std::vector<std::string>& notes)
{
  for (int index = 0; arrays && index < arrays->GetNumberOfArrays(); ++index)
  {
    vtkAbstractArray* const array = arrays->GetAbstractArray(index);
    if (array->GetName() && array->HasInformation() && MemoryKey()->Has(array->GetInformation()) &&
      known.insert(array->GetName()).second)
    {
      notes.insert(notes.end(), { array->GetName(), MemoryKey()->Get(array->GetInformation()) });
    }
  }
}

void AddNotes(vtkDataObject* data, std::set<std::string>& known, std::vector<std::string>& notes)
{
  if (auto* const composite = vtkCompositeDataSet::SafeDownCast(data))
  {
    const auto leaves = vtk::TakeSmartPointer(composite->NewIterator());
    for (leaves->InitTraversal(); !leaves->IsDoneWithTraversal(); leaves->GoToNextItem())
    {
      AddNotes(leaves->GetCurrentDataObject(), known, notes);
    }
    return;
  }
  for (int association = 0; data && association < vtkDataObject::NUMBER_OF_ATTRIBUTE_TYPES;
    ++association)
  {
    AddNotes(data->GetAttributesAsFieldData(association), known, notes);
  }
}
}

vtkSmartPointer<vtkDataArray> MapArray(describe::SourceReader& reader,
  const std::vector<describe::Source>& sources, const std::vector<describe::Window>& windows,
  std::string& why)
{
  if (sources.size() != 1)
  {
    why = "its components are apart in the file";
    return nullptr;
  }
  if (windows.size() != 1)
  {
    why = "it is shown in several pieces";
    return nullptr;
  }
  return MapArray(reader,
    MappedSource{ sources.front(), windows.front(), VtkTypeOf(reader.TypeOf(sources)) }, why);
}

vtkSmartPointer<vtkDataArray> MapArray(
  describe::SourceReader& reader, const MappedSource& source, std::string& why)
{
  const describe::Number number = reader.TypeOf(source.From);
  const std::uint64_t components = describe::ComponentsOf(source.From);
  const std::uint64_t tuples = source.In.Tuples();
  if (components * tuples * describe::SizeOf(number) < ArrayMemory::LargeArray)
  {
    why = "it is small";
    return nullptr;
  }
  const auto place = reader.PlaceOf(source.From, source.In, number);
  if (!place.Why.empty())
  {
    why = place.Why;
    return nullptr;
  }
  const SnapshotView* const snapshot = SnapshotOf(place.File);
  if (!snapshot)
  {
    why = "the file is on disk";
    return nullptr;
  }
  const auto mapped = MappedSnapshots::OfProcess().Map(
    *snapshot, FileOffset(place.Address), place.Bytes, describe::SizeOf(number));
  if (!mapped.Data)
  {
    why = mapped.Why;
    return nullptr;
  }
  auto array = NewRangedArray(source.Type);
  array->SetNumberOfComponents(static_cast<int>(components));
  array->SetVoidArray(mapped.Data,
    static_cast<vtkIdType>(components) * static_cast<vtkIdType>(tuples), 0,
    vtkAbstractArray::VTK_DATA_ARRAY_USER_DEFINED);
  array->SetArrayFreeFunction(ReleaseMapped);
  return array;
}

void Detach(vtkDataArray* array)
{
  if (array->HasStandardMemoryLayout())
  {
    MappedSnapshots::OfProcess().Detach(static_cast<std::byte*>(array->GetVoidPointer(0)));
  }
}

void NoteMemory(vtkDataArray* array, const std::string& how)
{
  MemoryKey()->Set(array->GetInformation(), how);
}

std::vector<std::string> MemoryNotes(vtkDataObject* data)
{
  std::set<std::string> known;
  std::vector<std::string> notes;
  AddNotes(data, known, notes);
  return notes;
}

}
