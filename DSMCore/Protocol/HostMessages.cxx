// SPDX-License-Identifier: BSD-3-Clause
#include "Protocol/HostMessages.h"

#include "Encoding/Fields.h"

namespace dsm
{

void Describe(Fields& fields, SlotRange& range)
{
  fields("Slot", range.Slot);
  fields("Bytes", range.Bytes);
}

void Describe(Fields& fields, PrepareMemory& prepare)
{
  fields("Tickets", prepare.Tickets);
  fields("Release", prepare.Release);
  fields("Zero", prepare.Zero);
  fields("Copy", prepare.Copy);
  fields("To", prepare.To);
  fields("Populate", prepare.Populate);
}

void Describe(Fields& fields, MemoryPrepared& prepared)
{
  fields("Tickets", prepared.Tickets);
  fields("Failure", prepared.Failure);
}

void Describe(Fields& fields, HostFailure& trouble)
{
  fields("Text", trouble.Text);
}

}
