// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Peer/Connection.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace dsm
{

/// A rank's claim to an image that the server has granted, which is given back when this is
/// destroyed.
///
/// Rank 0 discards an image that has not ended. Other ranks close a channel that they had to open
/// for it.
class ImageClaim
{
public:
  /// `link` is null on a rank that does not know the server yet.
  ImageClaim(ImageId image, int rank, std::shared_ptr<Connection> link)
    : Image(image)
    , Rank(rank)
    , Link(std::move(link))
  {
  }
  ~ImageClaim();
  ImageClaim(const ImageClaim&) = delete;
  ImageClaim& operator=(const ImageClaim&) = delete;

  /// The connection by which the image is given back.
  const std::shared_ptr<Connection>& GetConnection() const { return this->Link; }
  void SetConnection(std::shared_ptr<Connection> link) { this->Link = std::move(link); }

  /// The image has become a snapshot, or is one already: there is nothing to discard any more.
  void End() { this->Open = false; }

  /// Discards the image: rank 0 notifies the server. `keepsFlush`: what was flushed stays.
  void Discard(const std::string& why, bool keepsFlush = false) noexcept;

private:
  ImageId Image;
  int Rank;
  std::shared_ptr<Connection> Link;
  bool Open = true;
};

}
