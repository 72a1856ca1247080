// SPDX-License-Identifier: BSD-3-Clause
#include "Session/SnapshotView.h"

#include "Session/Peek.h"

#include <algorithm>
#include <utility>

namespace dsm
{

namespace
{
// What is opened within a Peek does not count as read.
nlohmann::json Marked(nlohmann::json question)
{
  if (Peek::Active())
  {
    question["peek"] = true;
  }
  return question;
}
}

SnapshotView::SnapshotView(const std::shared_ptr<Connection>& connection, std::uint64_t number)
  : SnapshotView(connection, SnapshotHold::Open(connection, Marked({ { "number", number } })))
{
}

SnapshotView::SnapshotView(
  const std::shared_ptr<Connection>& connection, const std::string& fileName)
  : SnapshotView(connection, SnapshotHold::Open(connection, Marked({ { "file", fileName } })))
{
}

SnapshotView::SnapshotView(std::shared_ptr<Connection> connection, SnapshotHold hold)
  : Link(std::move(connection))
  , Hold(std::move(hold))
  , Map(this->Description().Map)
  , SlotOffset(this->Description().Slot * this->Link->Server().SlotSize)
{
}

// Not before the first read: a parallel program joins the hosts after it has found the snapshot.
Transport& SnapshotView::Way() const
{
  if (!this->Mover)
  {
    this->Mover = &this->Link->Data();
  }
  return *this->Mover;
}

void SnapshotView::Read(std::uint64_t address, void* destination, std::uint64_t size) const
{
  auto* bytes = static_cast<std::byte*>(destination);
  const std::uint64_t inside = address < this->Description().FileSize
    ? std::min(size, this->Description().FileSize - address)
    : 0;
  Transport& mover = this->Way();
  this->Map.ForEachRun(address, inside,
    [&](std::uint64_t host, std::uint64_t offset, std::uint64_t position, std::uint64_t length)
    { mover.Get(host, this->SlotOffset + offset, bytes + position, length); });
  mover.Flush();
  std::fill(bytes + inside, bytes + size, std::byte(0));
}

const std::byte* SnapshotView::Direct(std::uint64_t address, std::uint64_t size) const
{
  if (address + size > this->Description().FileSize)
  {
    return nullptr;
  }
  const Location place = this->Map.Locate(address);
  return place.Run >= size ? this->Way().Direct(place.Host, this->SlotOffset + place.Offset)
                           : nullptr;
}

}
