// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/GrantExtender.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Memory/SegmentLayout.h"

#include <algorithm>
#include <filesystem>

namespace dsm
{

namespace
{
// An image gets at most this much more than it asked for, since others may want it.
constexpr std::uint64_t LargestStep = UINT64_C(1) << 30;
// Each host reserves so much for a piece.
constexpr std::uint64_t MemoryPiece = UINT64_C(16) << 20;
// The same on disk, where nothing but the next piece is reserved ahead.
constexpr std::uint64_t DiskPiece = UINT64_C(16) << 20;

std::string FolderOf(const std::string& fileName)
{
  const auto folder = std::filesystem::path(fileName).parent_path();
  return folder.empty() ? "." : folder.string();
}
}

GrantExtender::GrantExtender(ImageState& state, Evictor& evictor)
  : State(state)
  , Evictions(evictor)
{
}

std::optional<GrantExtender::Extended> GrantExtender::Extend(ImageId number, std::uint64_t bytes)
{
  OpenImage& image = this->State.Images.At(number);
  if (bytes <= image.Grant)
  {
    return Extended{ image.Grant, { image.Slot, {} } };
  }
  return this->IsOnDisk(image, bytes) ? this->ExtendOnDisk(image, bytes)
                                      : this->ExtendInMemory(image, bytes);
}

// Whether an image is on disk, or goes there because it finds no room for so many bytes. From then
// on its bytes behind its grant, or behind those that memory has room for, are on disk.
bool GrantExtender::IsOnDisk(OpenImage& image, std::uint64_t bytes)
{
  if (image.Map.ReachesDisk())
  {
    return true;
  }
  const auto fits = [&](const Ring& memory, std::uint64_t)
  { return bytes <= image.Map.Capacity() && memory.Room(image.Map, image.Slot) >= bytes; };
  if (!image.MayOutgrow || this->Evictions.MakeRoom(fits))
  {
    return false;
  }
  auto share = this->State.Memory.Outgrow(image.Slot);
  if (!share)
  {
    return false;
  }
  MapParameters parameters = image.Map.Parameters();
  const std::uint64_t room = this->State.Memory.Room(image.Map, image.Slot);
  share->From = std::max(image.Grant, room / AsideBytes::Page * AsideBytes::Page);
  parameters.Disk = *share;
  image.Map = AddressMap(parameters);
  return true;
}

std::uint64_t GrantExtender::PieceOf(const OpenImage& image) const
{
  const std::uint64_t each = image.Map.ReachesDisk() ? DiskPiece : MemoryPiece;
  return each * this->State.Memory.Hosts();
}

// Grants what the writer waits for.
std::optional<GrantExtender::Extended> GrantExtender::Grant(
  OpenImage& image, std::uint64_t grant, std::uint64_t target)
{
  Extended extended{ grant, { image.Slot, {} } };
  if (!this->State.Memory.Extend(image.Slot, image.Map, grant, extended.BeforeWriting.Plan))
  {
    return std::nullopt;
  }
  image.Grant = grant;
  image.GrowthTarget = target;
  image.WriterWaits = true;
  return extended;
}

std::optional<GrantExtender::Extended> GrantExtender::ExtendOnDisk(
  OpenImage& image, std::uint64_t bytes)
{
  if (bytes > image.Map.Capacity())
  {
    throw Error(Fault::RingFull,
      "the file {} needs at least {}, but the hosts can keep only {} of it on disk. Write less per "
      "file",
      image.FileName, environment::FormatBytes(bytes),
      environment::FormatBytes(image.Map.Capacity() - image.Map.Parameters().Disk.From));
  }
  const std::uint64_t grant = std::min(image.Map.Capacity(), bytes + this->PieceOf(image));
  auto extended = this->Grant(image, grant, grant);
  if (extended)
  {
    extended->BeforeWriting.Plan.Folder = FolderOf(image.FileName);
  }
  return extended;
}

std::optional<GrantExtender::Extended> GrantExtender::ExtendInMemory(
  OpenImage& image, std::uint64_t bytes)
{
  const bool fits = this->Evictions.MakeRoom(
    [&](const Ring& memory, std::uint64_t) { return memory.Room(image.Map, image.Slot) >= bytes; });
  if (!fits)
  {
    const bool isAlone = this->State.Images.All().size() == 1;
    if (isAlone && this->Evictions.Candidates().size() == this->State.Snapshots.Size())
    {
      this->ThrowTooLarge(image, bytes);
    }
    return std::nullopt;
  }
  // Doubling keeps the number of requests small. Half of what is left stays for others.
  const std::uint64_t room = this->State.Memory.Room(image.Map, image.Slot);
  const std::uint64_t target =
    std::max(bytes, std::min({ 2 * image.Grant, bytes + LargestStep, bytes + (room - bytes) / 2 }));
  return this->Grant(image, std::min(target, bytes + this->PieceOf(image)), target);
}

void GrantExtender::ThrowTooLarge(const OpenImage& image, std::uint64_t bytes) const
{
  const Ring& memory = this->State.Memory;
  if (memory.IsLimited())
  {
    throw Error(Fault::RingFull,
      "the file {} needs at least {}, but the hosts can keep only {} of it: their nodes or jobs "
      "have no more memory. Raise the limit of the hosts' job, or write less per file",
      image.FileName, environment::FormatBytes(bytes),
      environment::FormatBytes(memory.Room(image.Map, image.Slot)));
  }
  throw Error(Fault::RingFull,
    "the file {} needs at least {}, but the {} hosts share {} each ({} with strategy \"{}\"). "
    "Raise the memory per host, or write less per file",
    image.FileName, environment::FormatBytes(bytes), memory.Hosts(),
    environment::FormatBytes(memory.Largest()),
    environment::FormatBytes(memory.Room(image.Map, image.Slot)), image.Map.Parameters().Strategy);
}

std::optional<GrantExtender::Extended> GrantExtender::ExtendFurther(ImageId number)
{
  OpenImage* image = this->State.Images.Find(number);
  if (!image || image->Grant >= image->GrowthTarget)
  {
    return std::nullopt;
  }
  Extended extended{ std::min(image->GrowthTarget, image->Grant + this->PieceOf(*image)),
    { image->Slot, {} } };
  CleaningPlan& plan = extended.BeforeWriting.Plan;
  if (!this->State.Memory.Extend(image->Slot, image->Map, extended.Grant, plan))
  {
    image->GrowthTarget = image->Grant; // others have the room now
    return std::nullopt;
  }
  plan.InWriting = image->WriterWaits;
  plan.Folder = FolderOf(image->FileName);
  // The kernel clears a page when it is first touched. The hosts touch these, so that the writer
  // does not wait for that.
  plan.Populate = plan.Reserve;
  image->Grant = extended.Grant;
  return extended;
}

std::optional<GrantExtender::Extended> GrantExtender::ExtendAhead(
  ImageId number, std::uint64_t reached)
{
  OpenImage* image = this->State.Images.Find(number);
  if (!image || image->Grant < image->GrowthTarget || image->Reserved < image->Grant)
  {
    return std::nullopt;
  }
  if (image->Map.ReachesDisk())
  {
    if (reached + this->PieceOf(*image) < image->Grant)
    {
      return std::nullopt;
    }
    image->GrowthTarget = std::min(image->Map.Capacity(), image->Grant + this->PieceOf(*image));
  }
  else
  {
    const std::uint64_t room = this->State.Memory.Room(image->Map, image->Slot);
    if (reached < SegmentLayout::MostOf(image->Grant) || room <= image->Grant)
    {
      return std::nullopt;
    }
    image->GrowthTarget =
      image->Grant + std::min({ image->Grant / 2, LargestStep, (room - image->Grant) / 2 });
  }
  image->WriterWaits = false;
  return this->ExtendFurther(number);
}

bool GrantExtender::Confirm(ImageId number, std::uint64_t grant)
{
  OpenImage* image = this->State.Images.Find(number);
  if (!image || image->Grant < grant)
  {
    return false;
  }
  image->Reserved = std::max(image->Reserved, grant);
  return true;
}

void GrantExtender::Withdraw(ImageId number)
{
  if (OpenImage* image = this->State.Images.Find(number))
  {
    image->Grant = image->GrowthTarget = image->Reserved;
    this->State.Memory.Shrink(image->Slot, image->Map, image->Grant);
  }
}

}
