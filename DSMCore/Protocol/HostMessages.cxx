// SPDX-License-Identifier: BSD-3-Clause
#include "Protocol/HostMessages.h"

#include "Encoding/Fields.h"

namespace dsm
{

void Describe(Fields& fields, SlotRange& range)
{
  fields("Slot", range.Slot);
  fields("Begin", range.Begin);
  fields("End", range.End);
}

void Describe(Fields& fields, SlotGeneration& generation)
{
  fields("Slot", generation.Slot);
  fields("Number", generation.Number);
}

void Describe(Fields& fields, PrepareMemory& prepare)
{
  fields("Tickets", prepare.Tickets);
  fields("Slot", prepare.Slot);
  fields("Ahead", prepare.Ahead);
  fields("Touches", prepare.Touches);
  fields("Rests", prepare.Rests);
  fields("Raise", prepare.Raise);
  fields("Release", prepare.Release);
  fields("Forget", prepare.Forget);
  fields("Reserve", prepare.Reserve);
  fields("OnDisk", prepare.OnDisk);
  fields("Folder", prepare.Folder);
  fields("Zero", prepare.Zero);
  fields("Stale", prepare.Stale);
  fields("From", prepare.From);
  fields("To", prepare.To);
  fields("Copy", prepare.Copy);
  fields("Populate", prepare.Populate);
  fields("InWriting", prepare.InWriting);
}

void Describe(Fields& fields, MemoryPrepared& prepared)
{
  fields("Tickets", prepared.Tickets);
  fields("Failure", prepared.Failure);
  fields("Ahead", prepared.Ahead);
  fields("Lacked", prepared.Lacked);
}

void Describe(Fields& fields, FileOnDisk& file)
{
  fields("Path", file.Path);
  fields("Inode", file.Inode);
}

void Describe(Fields& fields, WriteShare& share)
{
  fields("Ticket", share.Ticket);
  fields("Host", share.Host);
  fields("Snapshot", share.Snapshot);
  fields("Begin", share.Begin);
  fields("End", share.End);
  fields("StripeSize", share.StripeSize);
  fields("Files", share.Files);
}

void Describe(Fields& fields, CancelShare& cancelled)
{
  fields("Ticket", cancelled.Ticket);
}

void Describe(Fields& fields, ShareWritten& written)
{
  fields("Ticket", written.Ticket);
  fields("Bytes", written.Bytes);
  fields("Done", written.Done);
  fields("Failure", written.Failure);
  fields("IsElsewhere", written.IsElsewhere);
  fields("HasMoved", written.HasMoved);
}

}
