// SPDX-License-Identifier: BSD-3-Clause
#include "ObserverProbe.h"

namespace dsm::simulation
{

void ObserverProbe::OnBegun(const ImageBegun& image)
{
  ++this->Count;
  this->Images.insert(image.Image);
  if (image.Image <= this->LastImage)
  {
    this->Notes.Fail(
      "an observer heard of the begin of image {} after that of {}", image.Image, this->LastImage);
  }
  this->LastImage = image.Image;
}

void ObserverProbe::OnSealed(const SnapshotSealed& snapshot)
{
  ++this->Count;
  this->Notes.Note("image {} is snapshot {}{}", snapshot.Image, snapshot.Number,
    snapshot.GoesOn ? ", and goes on" : "");
  if (!this->Images.contains(snapshot.Image))
  {
    this->Notes.Fail(
      "an observer heard that image {} was sealed, which is not open", snapshot.Image);
  }
  if (snapshot.Number <= this->LastSnapshot)
  {
    this->Notes.Fail(
      "an observer heard of snapshot {} after {}", snapshot.Number, this->LastSnapshot);
  }
  this->LastSnapshot = snapshot.Number;
  this->Snapshots.insert(snapshot.Number);
  if (!snapshot.GoesOn)
  {
    this->Images.erase(snapshot.Image);
  }
  this->Sealing(snapshot);
}

void ObserverProbe::OnEnded(const ImageEnded& image)
{
  ++this->Count;
  if (this->Images.erase(image.Image) == 0)
  {
    this->Notes.Fail("an observer heard of the end of image {}, which is not open", image.Image);
  }
}

void ObserverProbe::OnAnnounced(const SnapshotDescription& snapshot)
{
  ++this->Count;
  this->Notes.Note("snapshot {} is announced", snapshot.Number);
  if (!this->Snapshots.contains(snapshot.Number))
  {
    this->Notes.Fail("snapshot {} was announced, which is not in the ring", snapshot.Number);
  }
  if (!this->Announced.insert(snapshot.Number).second)
  {
    this->Notes.Fail("snapshot {} was announced twice", snapshot.Number);
  }
  this->Announced.insert(snapshot.Parts.begin(), snapshot.Parts.end());
  this->Announcing(snapshot);
}

void ObserverProbe::OnExtended(const SnapshotDescription& snapshot)
{
  ++this->Count;
  this->Notes.Note(
    "snapshot {} is announced with {} parts now", snapshot.Number, snapshot.Parts.size());
  if (!this->Announced.contains(snapshot.Number))
  {
    this->Notes.Fail("snapshot {} was extended, which was not announced", snapshot.Number);
  }
  const std::size_t before = this->Announced.size();
  this->Announced.insert(snapshot.Parts.begin(), snapshot.Parts.end());
  if (this->Announced.size() == before)
  {
    this->Notes.Fail("snapshot {} was extended by nothing", snapshot.Number);
  }
  this->Extending(snapshot);
}

void ObserverProbe::OnMoved(const SnapshotDescription& snapshot)
{
  ++this->Count;
  if (!this->Snapshots.contains(snapshot.Number))
  {
    this->Notes.Fail("snapshot {} has moved, which is not in the ring", snapshot.Number);
  }
}

void ObserverProbe::OnEvicted(const SnapshotDescription& snapshot)
{
  ++this->Count;
  this->Notes.Note("snapshot {} is evicted", snapshot.Number);
  if (this->Snapshots.erase(snapshot.Number) == 0)
  {
    this->Notes.Fail("snapshot {} was evicted, which is not in the ring", snapshot.Number);
  }
  this->Evicting(snapshot);
}

}
