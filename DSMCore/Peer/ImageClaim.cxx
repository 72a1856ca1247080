// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/ImageClaim.h"

#include "Protocol/ImageMessages.h"

namespace dsm
{

ImageClaim::~ImageClaim()
{
  if (this->Open)
  {
    this->Discard("it was not closed properly");
  }
  if (this->Link && this->Rank > 0)
  {
    this->Link->HangUp();
  }
}

void ImageClaim::Discard(const std::string& why, bool keepsFlush) noexcept
{
  this->Open = false;
  if (this->Rank == 0 && this->Link)
  {
    this->Link->Notify(DiscardImage{ this->Image, why, keepsFlush });
  }
}

}
