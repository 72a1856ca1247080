// SPDX-License-Identifier: BSD-3-Clause
#include "Protocol/ImageMessages.h"

#include "Encoding/Fields.h"

namespace dsm
{

namespace
{
// A copy of an image is known by its image; numbers begin with 1.
void Numbered(Fields& fields, const char* name, auto& number)
{
  fields(name, number);
  if (fields.Reading() && number == 0)
  {
    fields.Fail(name, "is out of range");
  }
}

// No file of HDF5 is larger than its addresses reach.
void FileBytes(Fields& fields, const char* name, std::uint64_t& bytes)
{
  fields.Within(name, bytes, 0, std::uint64_t(1) << 62);
}

void FileRange(Fields& fields, const char* name, ByteRange& range)
{
  fields.Record(name,
    [&]
    {
      FileBytes(fields, "Begin", range.Begin);
      FileBytes(fields, "End", range.End);
    });
}
}

void Describe(Fields& fields, FileMark& mark)
{
  fields("Inode", mark.Inode);
  fields("Size", mark.Size);
  fields("Changed", mark.Changed);
}

void Describe(Fields& fields, LeasedSnapshot& leased)
{
  fields("Lease", leased.Lease);
  fields("Snapshot", leased.Snapshot);
}

void Describe(Fields& fields, ImageGranted& granted)
{
  fields("Image", granted.Image);
  fields("Source", granted.Source);
  fields("CopyOf", granted.CopyOf);
}

void Describe(Fields& fields, NameThere& there)
{
  fields("File", there.File);
  fields("Before", there.Before);
  fields("Mark", there.Mark);
}

void Describe(Fields& fields, BeginImage& begin)
{
  fields("File", begin.File);
  fields("CopyOf", begin.CopyOf);
  fields("Ranks", begin.Ranks);
  fields("Clears", begin.Clears);
  fields("OnDisk", begin.OnDisk);
  fields("Locks", begin.Locks);
  fields("IsNew", begin.IsNew);
}

void Describe(Fields& fields, NameLeft& name)
{
  fields("IsThere", name.IsThere);
  fields("Before", name.Before);
  fields("Access", name.Access);
  fields("IsWhole", name.IsWhole);
}

void Describe(Fields& fields, Extension& extension)
{
  fields("Grant", extension.Grant);
  fields("Disk", extension.Disk);
}

void Describe(Fields& fields, ExtendImage& extend)
{
  Numbered(fields, "Image", extend.Image);
  fields("Key", extend.Key);
  FileBytes(fields, "Bytes", extend.Bytes);
}

void Describe(Fields& fields, Sealed& sealed)
{
  fields("Number", sealed.Number);
}

void Describe(Fields& fields, SealImage& seal)
{
  Numbered(fields, "Image", seal.Image);
  FileBytes(fields, "Size", seal.Size);
  FileBytes(fields, "Reach", seal.Reach);
  fields("Statistics", seal.Statistics);
  fields("Until", seal.Until);
  fields("OnDisk", seal.OnDisk);
}

void Describe(Fields& fields, Published& published)
{
  fields("Copy", published.Copy);
  fields("Skipped", published.Skipped);
}

void Describe(Fields& fields, PublishImage& publish)
{
  Numbered(fields, "Image", publish.Image);
  FileBytes(fields, "Size", publish.Size);
  fields.List("Changing", publish.Changing,
    [&](std::vector<ByteRange>& ranges)
    {
      fields.List(nullptr, ranges, [&](ByteRange& range) { FileRange(fields, nullptr, range); });
    });
  fields("Statistics", publish.Statistics);
}

void Describe(Fields& fields, KeepBytes& keep)
{
  Numbered(fields, "Image", keep.Image);
  fields("Key", keep.Key);
  fields("Host", keep.Host);
  FileRange(fields, "Bytes", keep.Bytes);
}

void Describe(Fields& fields, ConfirmCopy& confirm)
{
  Numbered(fields, "Image", confirm.Image);
  Numbered(fields, "Copy", confirm.Copy);
  fields("OnDisk", confirm.OnDisk);
}

void Describe(Fields& fields, FinishImage& finish)
{
  Numbered(fields, "Image", finish.Image);
  FileBytes(fields, "Reach", finish.Reach);
  fields("OnDisk", finish.OnDisk);
}

void Describe(Fields& fields, NoteFlush& flush)
{
  Numbered(fields, "Image", flush.Image);
  fields("Size", flush.Size);
  fields("OnDisk", flush.OnDisk);
}

void Describe(Fields& fields, DiscardImage& discard)
{
  Numbered(fields, "Image", discard.Image);
  fields("Why", discard.Why);
  fields("KeepsFlush", discard.KeepsFlush);
}

}
