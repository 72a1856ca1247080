// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/StoreFile.h"

#include "Base/Error.h"
#include "Mpi/Communicator.h"
#include "Peer/WritableImage.h"

namespace dsm
{

SnapshotId StoreFile(const std::shared_ptr<Connection>& server, const std::string& name,
  std::span<const FilePiece> pieces, std::uint64_t size)
{
  const Communicator alone = Communicator::Single();
  const auto image = WritableImage::Begin(alone, server, name);
  for (const FilePiece& piece : pieces)
  {
    image->Write(piece.Address, piece.Data, piece.Size);
  }
  image->Flush();
  const auto number = image->Seal(size, {});
  if (number == 0)
  {
    throw Error(Fault::RingFull,
      "the server does not keep it: its memory is full of snapshots that nobody has read, which it "
      "keeps (drop newest)");
  }
  return number;
}

}
