// SPDX-License-Identifier: BSD-3-Clause
#include "VtkHdfReader.h"

#include "ArraySelections.h"
#include "Base/Error.h"
#include "Describe/Hdf5Attributes.h"
#include "Describe/Hdf5File.h"
#include "Describe/Shares.h"
#include "RangedData.h"
#include "RefinedBlocks.h"
#include "SoundData.h"
#include "VtkHdfArrays.h"
#include "VtkHdfView.h"

#include <vtkAppendDataSets.h>
#include <vtkCompositeDataSet.h>
#include <vtkDataArraySelection.h>
#include <vtkDataAssembly.h>
#include <vtkDataObjectTypes.h>
#include <vtkDoubleArray.h>
#include <vtkFieldData.h>
#include <vtkImageData.h>
#include <vtkInformation.h>
#include <vtkInformationVector.h>
#include <vtkMultiBlockDataSet.h>
#include <vtkObjectFactory.h>
#include <vtkOverlappingAMR.h>
#include <vtkPartitionedDataSet.h>
#include <vtkPartitionedDataSetCollection.h>
#include <vtkPointSet.h>
#include <vtkStreamingDemandDrivenPipeline.h>
#include <vtkVersionMacros.h>

#include <algorithm>
#include <functional>
#include <limits>

using SDDP = vtkStreamingDemandDrivenPipeline;

namespace dsm::readers
{

namespace
{
const std::string Root = "/VTKHDF";

// Runs a reader for a request. Throws its error.
vtkDataObject* Run(vtkAlgorithm* reader, vtkInformation* request, ReaderErrors& errors)
{
  errors.Clear();
  const bool done = reader->Update(request) != 0;
  auto* const data = reader->GetOutputDataObject(0);
  if (!done || !errors.Text().empty() || !data)
  {
    throw Error(
      Fault::System, "{}", errors.Text().empty() ? "vtkHDFReader gave no reason" : errors.Text());
  }
  return data;
}

// Says what a reader makes of several parts. From VTK 9.5 on it never merges them, and prints a
// warning when it is asked to.
void SetMerges(vtkHDFReader* reader, bool merges)
{
#if VTK_VERSION_NUMBER < VTK_VERSION_CHECK(9, 5, 0)
  reader->SetMergeParts(merges);
#else
  static_cast<void>(reader);
  static_cast<void>(merges);
#endif
}

// The parts as one data set; none if there are none.
vtkSmartPointer<vtkDataObject> Merged(vtkPartitionedDataSet* parts)
{
  vtkNew<vtkAppendDataSets> append;
  vtkDataSet* only = nullptr;
  int count = 0;
  for (unsigned index = 0; index < parts->GetNumberOfPartitions(); ++index)
  {
    if (auto* const part = parts->GetPartition(index))
    {
      only = part;
      append->AddInputData(part);
      ++count;
    }
  }
  if (count == 0)
  {
    return nullptr;
  }
  vtkSmartPointer<vtkDataObject> merged = only;
  if (count > 1)
  {
    append->SetOutputDataSetType(only->GetDataObjectType());
    append->Update();
    merged = append->GetOutputDataObject(0);
  }
  merged->GetFieldData()->ShallowCopy(parts->GetFieldData());
  return merged;
}

void AddTime(vtkDataObject* data, std::optional<double> time)
{
  if (time && !data->GetFieldData()->HasArray("Time"))
  {
    vtkNew<vtkDoubleArray> array;
    array->SetName("Time");
    array->InsertNextValue(*time);
    data->GetFieldData()->AddArray(array);
  }
}
}

// Reads a member of a collection as if it were a file of its own.
class VtkHdfReader::Member
{
public:
  Member(const VtkHdfReader& of, const VtkHdfMember& what, const Share& share)
    : File(of.File)
    , What(what)
    , Asked(share)
    , View(of.Name, what.Path)
  {
    this->Errors.Watch(this->Reader);
    this->Reader->SetFileName(this->View.Name().c_str());
    if (!what.IsImage)
    {
      SetMerges(this->Reader, false);
    }
    this->Reader->UpdateInformation();
    auto& whole = *of.Whole;
    DisableArrays(DisabledArrays(whole.GetPointDataArraySelection()),
      this->Reader->GetPointDataArraySelection());
    DisableArrays(
      DisabledArrays(whole.GetCellDataArraySelection()), this->Reader->GetCellDataArraySelection());
  }

  // One part of several that its parts are divided into; if that is one, all as one data set.
  vtkSmartPointer<vtkDataObject> Read(std::uint64_t part, std::uint64_t parts)
  {
    vtkNew<vtkInformation> request;
    request->Set(SDDP::UPDATE_PIECE_NUMBER(), static_cast<int>(part));
    request->Set(SDDP::UPDATE_NUMBER_OF_PIECES(), static_cast<int>(parts));
    request->Set(SDDP::UPDATE_NUMBER_OF_GHOST_LEVELS(), 0);
    if (this->What.IsImage)
    {
      request->CopyEntry(this->Reader->GetOutputInformation(0), SDDP::WHOLE_EXTENT());
      request->Set(SDDP::UPDATE_EXTENT(), request->Get(SDDP::WHOLE_EXTENT()), 6);
    }
    if (this->Asked.Time)
    {
      request->Set(SDDP::UPDATE_TIME_STEP(), *this->Asked.Time);
    }
    const VtkHdfArrays arrays(this->File,
      PieceOf(this->What.Path, { part, parts, this->Asked.Step, this->Asked.Time }, request),
      this->Reader);
    vtkSmartPointer<vtkDataObject> data = Run(this->Reader, request, this->Errors);
    CheckSound(data);
    auto made = data;
    if (auto* const pieces = vtkPartitionedDataSet::SafeDownCast(data))
    {
      made = Merged(pieces);
    }
    if (!made)
    {
      return nullptr;
    }
    // The reader's own output is made anew by its next update.
    auto kept = vtk::TakeSmartPointer(made->NewInstance());
    kept->ShallowCopy(made);
    if (auto* const leaf = vtkDataSet::SafeDownCast(kept))
    {
      arrays.AddTo(leaf);
    }
    AddTime(kept, this->Asked.Time);
    return kept;
  }

private:
  const hid_t File;
  const VtkHdfMember& What;
  const Share& Asked;
  VtkHdfView View;
  ReaderErrors Errors;
  vtkNew<vtkHDFReader> Reader;
};

VtkHdfPiece VtkHdfReader::PieceOf(
  const std::string& group, const Share& share, vtkInformation* request)
{
  VtkHdfPiece piece{ group, std::nullopt, share.Piece, share.Pieces };
  if (share.Time)
  {
    piece.Step = share.Step;
  }
  if (request->Has(SDDP::UPDATE_EXTENT()))
  {
    request->Get(SDDP::UPDATE_EXTENT(), piece.Extent.data());
  }
  return piece;
}

vtkStandardNewMacro(VtkHdfReader);

VtkHdfReader::VtkHdfReader()
{
  this->SetNumberOfInputPorts(0);
  this->SetNumberOfOutputPorts(1);
  this->Errors.Watch(this->Whole);
}

VtkHdfReader::~VtkHdfReader() = default;

void VtkHdfReader::SetFile(const std::string& name)
{
  this->Name = name;
  this->Whole->SetFileName(name.c_str());
  this->Modified();
}

vtkDataArraySelection* VtkHdfReader::GetPointDataArraySelection()
{
  return this->Whole->GetPointDataArraySelection();
}

vtkDataArraySelection* VtkHdfReader::GetCellDataArraySelection()
{
  return this->Whole->GetCellDataArraySelection();
}

int VtkHdfReader::TypeOfParts() const
{
  const hdf5::SilenceErrors silence;
  return hdf5::TextAttribute(hdf5::OpenFile(this->Name), Root, "Type") == "PolyData"
    ? VTK_POLY_DATA
    : VTK_UNSTRUCTURED_GRID;
}

int VtkHdfReader::RequestDataObject(
  vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector)
{
  this->Errors.Clear();
  SetMerges(this->Whole, true);
  this->Whole->UpdateInformation();
  auto* const told = this->Whole->GetOutputDataObject(0);
  if (!this->Errors.Text().empty() || !told)
  {
    vtkErrorMacro(<< this->Errors.Text());
    return 0;
  }
  int type = told->GetDataObjectType();
  try
  {
    type = type == VTK_PARTITIONED_DATA_SET ? this->TypeOfParts() : type;
  }
  catch (const std::exception& error)
  {
    vtkErrorMacro(<< error.what());
    return 0;
  }
  auto* info = outputVector->GetInformationObject(0);
  auto* output = info->Get(vtkDataObject::DATA_OBJECT());
  if (!output || output->GetDataObjectType() != type)
  {
    info->Set(
      vtkDataObject::DATA_OBJECT(), vtk::TakeSmartPointer(vtkDataObjectTypes::NewDataObject(type)));
  }
  return 1;
}

int VtkHdfReader::RequestInformation(
  vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector)
{
  auto* const info = outputVector->GetInformationObject(0);
  auto* const from = this->Whole->GetOutputInformation(0);
  info->CopyEntry(from, SDDP::WHOLE_EXTENT());
  info->CopyEntry(from, vtkDataObject::ORIGIN());
  info->CopyEntry(from, vtkDataObject::SPACING());
  info->CopyEntry(from, SDDP::TIME_STEPS());
  info->CopyEntry(from, SDDP::TIME_RANGE());
  if (from->Has(SDDP::WHOLE_EXTENT()))
  {
    info->Set(CAN_PRODUCE_SUB_EXTENT(), 1);
  }
  else
  {
    info->Set(CAN_HANDLE_PIECE_REQUEST(), 1);
  }
  return 1;
}

VtkHdfReader::Share VtkHdfReader::ShareOf(vtkInformation* info)
{
  Share share;
  share.Piece = static_cast<std::uint64_t>(std::max(0, info->Get(SDDP::UPDATE_PIECE_NUMBER())));
  share.Pieces =
    static_cast<std::uint64_t>(std::max(1, info->Get(SDDP::UPDATE_NUMBER_OF_PIECES())));
  auto* const told = this->Whole->GetOutputInformation(0);
  const int count = told->Length(SDDP::TIME_STEPS());
  const double* const times = told->Get(SDDP::TIME_STEPS());
  if (count > 1)
  {
    const double asked =
      info->Has(SDDP::UPDATE_TIME_STEP()) ? info->Get(SDDP::UPDATE_TIME_STEP()) : times[count - 1];
    // The last one before it, as vtkHDFReader chooses.
    const auto behind = std::upper_bound(times, times + count, asked) - times;
    share.Step = static_cast<std::size_t>(std::max<std::ptrdiff_t>(behind, 1) - 1);
    share.Time = times[share.Step];
  }
  return share;
}

void VtkHdfReader::ReadWhole(vtkInformation* request, const Share& share, vtkDataSet* output)
{
  if (request->Has(SDDP::UPDATE_EXTENT()) &&
    this->Whole->GetOutputInformation(0)->Has(SDDP::WHOLE_EXTENT()))
  {
    const int* const extent = request->Get(SDDP::UPDATE_EXTENT());
    double points = 1;
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      points *= 1.0 + extent[2 * axis + 1] - extent[2 * axis];
    }
    if (points > std::numeric_limits<int>::max())
    {
      throw Error(Fault::Usage,
        "a rank would read {} points, and vtkHDFReader counts to {}: use more ranks", points,
        std::numeric_limits<int>::max());
    }
  }
  vtkNew<vtkInformation> asked;
  for (auto* const key : { SDDP::UPDATE_PIECE_NUMBER(), SDDP::UPDATE_NUMBER_OF_PIECES(),
         SDDP::UPDATE_NUMBER_OF_GHOST_LEVELS() })
  {
    asked->CopyEntry(request, key);
  }
  asked->CopyEntry(request, SDDP::UPDATE_EXTENT());
  if (share.Time)
  {
    asked->Set(SDDP::UPDATE_TIME_STEP(), *share.Time);
  }
  SetMerges(this->Whole, false);
  const VtkHdfArrays arrays(this->File, PieceOf(Root, share, asked), this->Whole);
  vtkSmartPointer<vtkDataObject> data = Run(this->Whole, asked, this->Errors);
  CheckSound(data);
  if (auto* const parts = vtkPartitionedDataSet::SafeDownCast(data))
  {
    data = Merged(parts);
  }
  if (data)
  {
    output->ShallowCopy(data);
    arrays.AddTo(output);
  }
}

void VtkHdfReader::FillCollection(const Share& share, vtkPartitionedDataSetCollection* collection)
{
  std::vector<VtkHdfMember> members;
  std::vector<describe::Load> loads;
  for (const std::string& name : OrderedNames(this->File, Root))
  {
    if (name != "Assembly")
    {
      members.push_back(MemberOf(this->File, fmt::format("{}/{}", Root, name), share.Step));
      const VtkHdfMember& member = members.back();
      loads.push_back({ member.Parts,
        std::max<std::uint64_t>(1, member.Bytes / std::max<std::uint64_t>(1, member.Parts)) });
    }
  }
  const auto shares = describe::ShareOf(loads, share.Piece, share.Pieces);
  collection->SetNumberOfPartitionedDataSets(static_cast<unsigned>(members.size()));
  vtkNew<vtkDataAssembly> assembly;
  FillAssembly(this->File, assembly);
  collection->SetDataAssembly(assembly);
  for (std::size_t index = 0; index < members.size(); ++index)
  {
    const VtkHdfMember& what = members[index];
    const describe::Range& run = shares[index];
    vtkNew<vtkPartitionedDataSet> parts;
    parts->SetNumberOfPartitions(static_cast<unsigned>(what.Parts));
    if (run.Count > 0)
    {
      Member member(*this, what, share);
      for (std::uint64_t part = run.First; part < run.First + run.Count; ++part)
      {
        parts->SetPartition(static_cast<unsigned>(part), member.Read(part, what.Parts));
      }
    }
    collection->SetPartitionedDataSet(what.Index, parts);
  }
}

void VtkHdfReader::FillBlocks(const Share& share, vtkMultiBlockDataSet* blocks)
{
  // Which of the leaves are read here: each is one.
  std::vector<describe::Load> loads;
  const std::function<void(const std::string&)> count = [&](const std::string& group)
  {
    for (const std::string& name : OrderedNames(this->File, group))
    {
      const std::string path = fmt::format("{}/{}", group, name);
      if (IsLink(this->File, path))
      {
        loads.push_back({ 1, MemberOf(this->File, path, share.Step).Bytes });
      }
      else
      {
        count(path);
      }
    }
  };
  count(Root + "/Assembly");
  std::vector<bool> mine;
  for (const describe::Range& range : describe::ShareOf(loads, share.Piece, share.Pieces))
  {
    mine.push_back(range.Count > 0);
  }
  std::size_t leaf = 0;
  this->FillGroup(Root + "/Assembly", mine, leaf, share, blocks);
}

void VtkHdfReader::FillGroup(const std::string& group, const std::vector<bool>& mine,
  std::size_t& leaf, const Share& share, vtkMultiBlockDataSet* blocks)
{
  const auto names = OrderedNames(this->File, group);
  blocks->SetNumberOfBlocks(static_cast<unsigned>(names.size()));
  for (unsigned index = 0; index < names.size(); ++index)
  {
    const std::string path = fmt::format("{}/{}", group, names[index]);
    blocks->GetMetaData(index)->Set(vtkCompositeDataSet::NAME(), names[index]);
    if (!IsLink(this->File, path))
    {
      vtkNew<vtkMultiBlockDataSet> inner;
      this->FillGroup(path, mine, leaf, share, inner);
      blocks->SetBlock(index, inner);
    }
    else if (mine[leaf++])
    {
      const VtkHdfMember what = MemberOf(this->File, path, share.Step);
      blocks->SetBlock(index, Member(*this, what, share).Read(0, 1));
    }
  }
}

int VtkHdfReader::RequestData(
  vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector)
{
  try
  {
    const hdf5::SilenceErrors silence;
    auto* const info = outputVector->GetInformationObject(0);
    auto* const output = info->Get(vtkDataObject::DATA_OBJECT());
    const Share share = this->ShareOf(info);
    auto* const collection = vtkPartitionedDataSetCollection::SafeDownCast(output);
    auto* const blocks = vtkMultiBlockDataSet::SafeDownCast(output);
    auto* const refined = vtkOverlappingAMR::SafeDownCast(output);
    this->File = hdf5::OpenFile(this->Name);
    if (auto* const whole = vtkDataSet::SafeDownCast(output))
    {
      this->ReadWhole(info, share, whole);
      UseRangedArrays(output);
      return 1;
    }
    // From VTK 9.6 on, refined blocks are a collection as well: they are looked for first.
    if (refined)
    {
      ReadRefinedBlocks(this->File,
        { share.Step, share.Time.has_value(), share.Piece, share.Pieces },
        this->GetPointDataArraySelection(), this->GetCellDataArraySelection(), refined);
    }
    else if (collection)
    {
      this->FillCollection(share, collection);
    }
    else if (blocks)
    {
      this->FillBlocks(share, blocks);
    }
    AddTime(output, share.Time);
    UseRangedArrays(output);
    return 1;
  }
  catch (const std::exception& error)
  {
    vtkErrorMacro(<< error.what());
    return 0;
  }
}

}
