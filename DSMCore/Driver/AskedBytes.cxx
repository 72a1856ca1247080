// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/AskedBytes.h"

namespace dsm
{

void AskedBytes::Add(FileOffset address, std::uint64_t size)
{
  if (this->Bytes == 0)
  {
    this->First = address;
  }
  if (address != this->End)
  {
    this->Finish();
    this->Begin = address;
  }
  this->End = address + size;
  this->Bytes += size;
}

void AskedBytes::Finish()
{
  if (this->End > this->Begin)
  {
    this->Runs += 1;
    this->Mix(this->Begin);
    this->Mix(this->End);
  }
  this->Begin = this->End;
}

void AskedBytes::Mix(std::uint64_t number)
{
  constexpr std::uint64_t Prime = UINT64_C(0x100000001b3);
  for (int shift = 0; shift < 64; shift += 8)
  {
    this->Digest = (this->Digest ^ ((number >> shift) & 0xff)) * Prime;
  }
}

void Describe(Fields& fields, AskedBytes& asked)
{
  fields("First", asked.First);
  fields("Bytes", asked.Bytes);
  fields("Runs", asked.Runs);
}

}
