// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/ImageTable.h"

#include "Base/Error.h"

#include <utility>

namespace dsm
{

namespace
{
// How many lost images are remembered, for the sake of their writers.
constexpr std::size_t MostLossReasons = 1000;
}

ImageId ImageTable::Add(OpenImage image)
{
  this->Images[++this->LastNumber] = std::move(image);
  return this->LastNumber;
}

const OpenImage& ImageTable::At(ImageId number) const
{
  const OpenImage* image = this->Find(number);
  if (!image)
  {
    const auto lost = this->LossReasons.find(number);
    throw Error(Fault::PeerLost, "the DSM server has given up the image being written: {}",
      lost == this->LossReasons.end() ? "it was closed" : lost->second);
  }
  return *image;
}

OpenImage& ImageTable::At(ImageId number)
{
  return const_cast<OpenImage&>(std::as_const(*this).At(number));
}

const OpenImage* ImageTable::Find(ImageId number) const
{
  const auto found = this->Images.find(number);
  return found == this->Images.end() ? nullptr : &found->second;
}

OpenImage* ImageTable::Find(ImageId number)
{
  return const_cast<OpenImage*>(std::as_const(*this).Find(number));
}

const std::map<ImageId, OpenImage>& ImageTable::All() const
{
  return this->Images;
}

std::vector<ImageId> ImageTable::OwnedBy(const std::string& owner) const
{
  std::vector<ImageId> found;
  for (const auto& [number, image] : this->Images)
  {
    if (image.Owner == owner)
    {
      found.push_back(number);
    }
  }
  return found;
}

OpenImage ImageTable::Take(ImageId number)
{
  OpenImage image = std::move(this->At(number));
  this->Images.erase(number);
  return image;
}

OpenImage ImageTable::TakeLost(ImageId number, const std::string& why)
{
  OpenImage image = this->Take(number);
  this->LossReasons[number] = why;
  if (this->LossReasons.size() > MostLossReasons)
  {
    this->LossReasons.erase(this->LossReasons.begin());
  }
  return image;
}

void ImageTable::RequireOwner(ImageId number, const std::string& owner) const
{
  const OpenImage& image = this->At(number);
  if (image.Owner != owner)
  {
    throw Error(Fault::Refused, "the image of {} is written by another program", image.FileName);
  }
}

void ImageTable::RequireKey(ImageId number, std::uint64_t key) const
{
  const OpenImage& image = this->At(number);
  if (image.Key != key)
  {
    throw Error(Fault::Refused, "the image of {} is written by another program", image.FileName);
  }
}

void ImageTable::RequireCapacity(ImageId number, std::uint64_t size) const
{
  const OpenImage& image = this->At(number);
  if (size > image.Map.Capacity())
  {
    throw Error(Fault::Refused, "{} cannot have {} bytes: its image ends at {}", image.FileName,
      size, image.Map.Capacity());
  }
}

}
