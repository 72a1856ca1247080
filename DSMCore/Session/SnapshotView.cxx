// SPDX-License-Identifier: BSD-3-Clause
#include "Session/SnapshotView.h"

#include "Session/Peek.h"

#include <algorithm>
#include <cstring>

namespace dsm
{

SnapshotView::SnapshotView(std::shared_ptr<Connection> connection, std::uint64_t number)
  : Link(std::move(connection))
{
  this->Open({ { "number", number } });
}

SnapshotView::SnapshotView(std::shared_ptr<Connection> connection, const std::string& fileName)
  : Link(std::move(connection))
{
  this->Open({ { "file", fileName } });
}

void SnapshotView::Open(nlohmann::json question)
{
  if (Peek::Active())
  {
    question["peek"] = true;
  }
  const auto answer = this->Link->Ask("open", std::move(question));
  this->Snapshot = answer.at("snapshot").get<SnapshotDescription>();
  this->Lease = answer.at("lease").get<std::uint64_t>();
  try
  {
    this->Map = AddressMap(this->Snapshot.Map);
    this->SlotOffset = this->Snapshot.Slot * this->Link->Server().SlotSize;
  }
  catch (...)
  {
    this->Link->Tell("close", { { "lease", this->Lease } });
    throw;
  }
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

SnapshotView::~SnapshotView()
{
  this->Link->Tell("close", { { "lease", this->Lease } });
}

void SnapshotView::Read(std::uint64_t address, void* destination, std::uint64_t size) const
{
  auto* bytes = static_cast<std::byte*>(destination);
  const std::uint64_t inside =
    address < this->Snapshot.FileSize ? std::min(size, this->Snapshot.FileSize - address) : 0;
  Transport& mover = this->Way();
  this->Map.ForEachRun(address, inside,
    [&](std::uint64_t host, std::uint64_t offset, std::uint64_t position, std::uint64_t length)
    { mover.Get(host, this->SlotOffset + offset, bytes + position, length); });
  mover.Flush();
  std::fill(bytes + inside, bytes + size, std::byte(0));
}

const std::byte* SnapshotView::Direct(std::uint64_t address, std::uint64_t size) const
{
  if (address + size > this->Snapshot.FileSize)
  {
    return nullptr;
  }
  const Location place = this->Map.Locate(address);
  return place.Run >= size ? this->Way().Direct(place.Host, this->SlotOffset + place.Offset)
                           : nullptr;
}

}
