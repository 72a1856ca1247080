// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/StripedFiles.h"

#include "Mapping/Stripes.h"

namespace dsm
{

void StripedFiles::Reserve(std::uint64_t fileSize) const
{
  const AddressMap stripes = StripesOver(this->Files.size(), this->StripeSize, fileSize);
  for (std::uint64_t file = 0; file < this->Files.size(); ++file)
  {
    this->Files[file]->Reserve(stripes.LocalSize(HostIndex(file), fileSize));
  }
}

void StripedFiles::Write(FileOffset address, const std::byte* source, std::uint64_t size,
  std::uint64_t fileSize, const std::function<void(std::uint64_t)>& wrote) const
{
  StripesOver(this->Files.size(), this->StripeSize, fileSize)
    .ForEachRun(address, size,
      [&](std::uint64_t file, std::uint64_t, std::uint64_t position, std::uint64_t length)
      {
        for (std::uint64_t done = 0; done < length;)
        {
          const std::uint64_t now =
            this->Files[file]->Write(source + position + done, length - done);
          done += now;
          if (wrote)
          {
            wrote(now);
          }
        }
      });
}

WriteShare StripedFiles::ForOthers(bool onThisMachine) const
{
  WriteShare share;
  share.StripeSize = this->StripeSize;
  for (NewFile* const file : this->Files)
  {
    share.Files.push_back(file->ForOthers(onThisMachine));
  }
  return share;
}

}
