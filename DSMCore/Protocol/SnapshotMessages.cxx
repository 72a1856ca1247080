// SPDX-License-Identifier: BSD-3-Clause
#include "Protocol/SnapshotMessages.h"

#include "Encoding/Fields.h"

namespace dsm
{

void Describe(Fields& fields, JointViewer& viewer)
{
  fields("Name", viewer.Name);
  fields.Within("Ranks", viewer.Ranks, 1, std::uint64_t(1) << 31);
}

void Describe(Fields& fields, AwaitedSnapshot& awaited)
{
  fields("Number", awaited.Number);
  fields("NoneWillCome", awaited.NoneWillCome);
}

void Describe(Fields& fields, AwaitSnapshot& await)
{
  fields("File", await.File);
  fields("After", await.After);
  fields("Seconds", await.Seconds);
}

UnfinishedFile UnfinishedFile::Of(const PlaceholderContents& placeholder)
{
  const PlaceholderAddress& address = placeholder.Address;
  return { address.Image.value_or(ImageId(0)), address.Before.value_or(SnapshotId(0)),
    placeholder.Identity };
}

void Describe(Fields& fields, UnfinishedFile& file)
{
  fields("Image", file.Image);
  fields("Before", file.Before);
  fields("Identity", file.Identity);
}

void Describe(Fields& fields, OpenSnapshot& open)
{
  fields("Number", open.Number);
  fields("Identity", open.Identity);
  fields("File", open.File);
  fields("OnDiskSince", open.OnDiskSince);
  fields("Instead", open.Instead);
  fields("Together", open.Together);
  fields("Peek", open.Peek);
  fields("Master", open.Master);
  fields("Unfinished", open.Unfinished);
  fields("Spare", open.Spare);
}

void Describe(Fields& fields, OpenForRank& open)
{
  fields("Speaker", open.Speaker);
  fields("Lease", open.Lease);
  fields("Wanted", open.Wanted);
}

void Describe(Fields& fields, CloseForRank& close)
{
  fields("Speaker", close.Speaker);
  fields("Lease", close.Lease);
}

void Describe(Fields& fields, LocateSnapshot& locate)
{
  fields("Number", locate.Number);
}

void Describe(Fields& fields, SnapshotHold& hold)
{
  fields("Number", hold.Number);
  fields("Lease", hold.Lease);
  fields("Peek", hold.Peek);
  fields("Entered", hold.Entered);
}

void Describe(Fields& fields, HoldSnapshots& holds)
{
  fields("Begun", holds.Begun);
  fields("Ended", holds.Ended);
  fields("Read", holds.Read);
}

void Describe(Fields& fields, CloseSnapshot& close)
{
  fields("Lease", close.Lease);
}

void Describe(Fields& fields, MappedPlace& kept)
{
  fields("Place", kept.Place);
  fields("Number", kept.Number);
}

void Describe(Fields& fields, MappingReply& reply)
{
  fields("Kept", reply.Kept);
  fields("Why", reply.Why);
}

void Describe(Fields& fields, MapSnapshot& map)
{
  fields("Snapshot", map.Snapshot);
  fields("Process", map.Process);
}

void Describe(Fields& fields, GiveBackSnapshots& wanted)
{
  fields("Kept", wanted.Kept);
}

void Describe(Fields& fields, NoteSaved& saved)
{
  fields("Number", saved.Number);
}

void Describe(Fields& fields, FoundOnDisk& found)
{
  fields("Snapshot", found.Snapshot);
  fields("Newest", found.Newest);
  fields("Gone", found.Gone);
  fields("Stays", found.Stays);
}

void Describe(Fields& fields, FindOnDisk& find)
{
  fields("File", find.File);
  fields("There", find.There);
}

void Describe(Fields& fields, SnapshotList& list)
{
  fields("Snapshots", list.Snapshots);
  fields("Lease", list.Lease);
}

void Describe(Fields& fields, ListSnapshots& list)
{
  fields("Number", list.Number);
  fields("Match", list.Match);
  fields("Hold", list.Hold);
  fields("HiddenToo", list.HiddenToo);
}

void Describe(Fields& fields, DeletedFile& deleted)
{
  fields("Snapshots", deleted.Snapshots);
}

void Describe(Fields& fields, DeleteFile& deleted)
{
  fields("File", deleted.File);
}

void Describe(Fields& fields, RenameFile& rename)
{
  fields("File", rename.File);
  fields("Number", rename.Number);
  fields("Unfinished", rename.Unfinished);
  fields("Identity", rename.Identity);
}

}
