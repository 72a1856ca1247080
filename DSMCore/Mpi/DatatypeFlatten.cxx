// SPDX-License-Identifier: BSD-3-Clause
#include "Mpi/DatatypeFlatten.h"

#include "Base/Error.h"
#include "Mpi/Communicator.h"

namespace dsm
{

using Node = FlatDatatype::Node;
using NodePointer = std::shared_ptr<const Node>;

/// Bytes: `Length` consecutive bytes at 0.
/// Repeat: `Count` times Child, each `Stride` bytes after the one before.
/// Sequence: each part at its displacement.
struct FlatDatatype::Node
{
  enum class Kind
  {
    Bytes,
    Repeat,
    Sequence
  };
  struct Part
  {
    std::int64_t Displacement;
    NodePointer Child;
  };

  Kind Is = Kind::Bytes;
  std::uint64_t Length = 0; // bytes altogether, for every kind
  std::uint64_t Count = 0;
  std::int64_t Stride = 0;
  NodePointer Child;
  std::vector<Part> Parts;

  std::uint64_t Children() const
  {
    return this->Is == Kind::Repeat ? this->Count : this->Parts.size();
  }
};

namespace
{

NodePointer MakeBytes(std::uint64_t length)
{
  auto node = std::make_shared<Node>();
  node->Length = length;
  return node;
}

NodePointer MakeRepeat(std::uint64_t count, std::int64_t stride, const NodePointer& child)
{
  if (count == 0 || child->Length == 0)
  {
    return MakeBytes(0);
  }
  if (count == 1)
  {
    return child;
  }
  // Elements that follow each other without a gap are one run.
  if (child->Is == Node::Kind::Bytes && stride == static_cast<std::int64_t>(child->Length))
  {
    return MakeBytes(count * child->Length);
  }
  auto node = std::make_shared<Node>();
  node->Is = Node::Kind::Repeat;
  node->Length = count * child->Length;
  node->Count = count;
  node->Stride = stride;
  node->Child = child;
  return node;
}

NodePointer MakeSequence(std::vector<Node::Part> parts)
{
  std::erase_if(parts, [](const Node::Part& part) { return part.Child->Length == 0; });
  if (parts.empty())
  {
    return MakeBytes(0);
  }
  if (parts.size() == 1 && parts.front().Displacement == 0)
  {
    return parts.front().Child;
  }
  auto node = std::make_shared<Node>();
  node->Is = Node::Kind::Sequence;
  for (const Node::Part& part : parts)
  {
    node->Length += part.Child->Length;
  }
  node->Parts = std::move(parts);
  return node;
}

std::int64_t Extent(MPI_Datatype type)
{
  MPI_Count lower = 0;
  MPI_Count extent = 0;
  CheckMpi(MPI_Type_get_extent_x(type, &lower, &extent), "MPI_Type_get_extent_x");
  return extent;
}

/// The arguments a derived type was made with. The component types are freed with it unless they
/// are predefined.
class Contents
{
public:
  Contents(MPI_Datatype type, int integers, int addresses, int types)
    : Integers(static_cast<std::size_t>(integers))
    , Addresses(static_cast<std::size_t>(addresses))
    , Types(static_cast<std::size_t>(types), MPI_DATATYPE_NULL)
  {
    // Some MPI libraries refuse null pointers even for arrays of no element.
    this->Integers.reserve(1);
    this->Addresses.reserve(1);
    this->Types.reserve(1);
    CheckMpi(MPI_Type_get_contents(type, integers, addresses, types, this->Integers.data(),
               this->Addresses.data(), this->Types.data()),
      "MPI_Type_get_contents");
  }

  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;

  ~Contents()
  {
    for (MPI_Datatype& type : this->Types)
    {
      int integers = 0;
      int addresses = 0;
      int types = 0;
      int combiner = MPI_COMBINER_NAMED;
      if (type != MPI_DATATYPE_NULL &&
        MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
        combiner != MPI_COMBINER_NAMED)
      {
        MPI_Type_free(&type);
      }
    }
  }

  std::int64_t Integer(std::uint64_t index) const { return this->Integers.at(index); }
  std::uint64_t Count(std::uint64_t index) const
  {
    return static_cast<std::uint64_t>(this->Integers.at(index));
  }
  std::int64_t Address(std::uint64_t index) const { return this->Addresses.at(index); }
  MPI_Datatype Type(std::uint64_t index = 0) const { return this->Types.at(index); }

private:
  std::vector<int> Integers;
  std::vector<MPI_Aint> Addresses;
  std::vector<MPI_Datatype> Types;
};

NodePointer Decode(MPI_Datatype type);

NodePointer DecodeNamed(MPI_Datatype type)
{
  MPI_Count size = 0;
  CheckMpi(MPI_Type_size_x(type, &size), "MPI_Type_size_x");
  if (size != Extent(type))
  {
    throw Error(Fault::Unsupported,
      "a file transfer uses a predefined MPI type with a gap inside ({} bytes of data in {})", size,
      Extent(type));
  }
  return MakeBytes(static_cast<std::uint64_t>(size));
}

/// n, sizes[n], subsizes[n], starts[n], order. Built from the fastest dimension outwards.
NodePointer DecodeSubarray(const Contents& contents)
{
  const std::uint64_t dimensions = contents.Count(0);
  const bool fortran = contents.Integer(1 + 3 * dimensions) == MPI_ORDER_FORTRAN;
  std::int64_t stride = Extent(contents.Type());
  std::int64_t start = 0;
  NodePointer node = Decode(contents.Type());
  for (std::uint64_t step = 0; step < dimensions; ++step)
  {
    const std::uint64_t d = fortran ? step : dimensions - 1 - step;
    start += contents.Integer(1 + 2 * dimensions + d) * stride;
    node = MakeRepeat(contents.Count(1 + dimensions + d), stride, node);
    stride *= contents.Integer(1 + d);
  }
  return MakeSequence({ { start, node } });
}

NodePointer Decode(MPI_Datatype type)
{
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = MPI_COMBINER_NAMED;
  CheckMpi(
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner), "MPI_Type_get_envelope");
  if (combiner == MPI_COMBINER_NAMED)
  {
    return DecodeNamed(type);
  }
  const Contents contents(type, integers, addresses, types);
  if (combiner == MPI_COMBINER_SUBARRAY)
  {
    return DecodeSubarray(contents);
  }
  if (combiner == MPI_COMBINER_STRUCT)
  {
    std::vector<Node::Part> parts;
    const std::uint64_t blocks = contents.Count(0);
    parts.reserve(blocks);
    for (std::uint64_t block = 0; block < blocks; ++block)
    {
      parts.push_back({ contents.Address(block),
        MakeRepeat(
          contents.Count(1 + block), Extent(contents.Type(block)), Decode(contents.Type(block))) });
    }
    return MakeSequence(std::move(parts));
  }

  NodePointer child = Decode(contents.Type());
  const std::int64_t extent = Extent(contents.Type());
  std::vector<Node::Part> parts;
  switch (combiner)
  {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
      return child;
    case MPI_COMBINER_CONTIGUOUS:
      return MakeRepeat(contents.Count(0), extent, child);
    case MPI_COMBINER_VECTOR:
      return MakeRepeat(contents.Count(0), contents.Integer(2) * extent,
        MakeRepeat(contents.Count(1), extent, child));
    case MPI_COMBINER_HVECTOR:
      return MakeRepeat(
        contents.Count(0), contents.Address(0), MakeRepeat(contents.Count(1), extent, child));
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    {
      const std::uint64_t blocks = contents.Count(0);
      parts.reserve(blocks);
      for (std::uint64_t block = 0; block < blocks; ++block)
      {
        const std::int64_t displacement = combiner == MPI_COMBINER_HINDEXED
          ? contents.Address(block)
          : contents.Integer(1 + blocks + block) * extent;
        parts.push_back({ displacement, MakeRepeat(contents.Count(1 + block), extent, child) });
      }
      return MakeSequence(std::move(parts));
    }
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
    {
      const std::uint64_t blocks = contents.Count(0);
      const NodePointer one = MakeRepeat(contents.Count(1), extent, child);
      parts.reserve(blocks);
      for (std::uint64_t block = 0; block < blocks; ++block)
      {
        const std::int64_t displacement = combiner == MPI_COMBINER_HINDEXED_BLOCK
          ? contents.Address(block)
          : contents.Integer(2 + block) * extent;
        parts.push_back({ displacement, one });
      }
      return MakeSequence(std::move(parts));
    }
    default:
      throw Error(Fault::Unsupported,
        "a file transfer uses an MPI datatype made in a way that is not known here (combiner {})",
        combiner);
  }
}

}

FlatDatatype::FlatDatatype(MPI_Datatype type, std::uint64_t count)
  : Root(MakeRepeat(count, Extent(type), Decode(type)))
{
}

std::uint64_t FlatDatatype::Size() const
{
  return this->Root->Length;
}

DatatypeCursor::DatatypeCursor(const FlatDatatype& type)
{
  this->Stack.push_back({ type.Root.get(), 0, 0 });
}

DatatypeRun DatatypeCursor::Next()
{
  while (!this->Stack.empty())
  {
    Frame& top = this->Stack.back();
    const Node& node = *top.At;
    if (node.Is == Node::Kind::Bytes)
    {
      const DatatypeRun run{ top.Base, node.Length };
      this->Stack.pop_back();
      if (run.Length > 0)
      {
        return run;
      }
      continue;
    }
    if (top.Index == node.Children())
    {
      this->Stack.pop_back();
      continue;
    }
    const std::uint64_t index = top.Index++;
    const bool repeat = node.Is == Node::Kind::Repeat;
    const std::int64_t displacement =
      repeat ? static_cast<std::int64_t>(index) * node.Stride : node.Parts[index].Displacement;
    const Node* child = repeat ? node.Child.get() : node.Parts[index].Child.get();
    this->Stack.push_back({ child, top.Base + displacement, 0 }); // invalidates `top`
  }
  return {};
}

}
