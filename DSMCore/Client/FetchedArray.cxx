// SPDX-License-Identifier: BSD-3-Clause
#include "Client/FetchedArray.h"

#include "Base/Deadline.h"
#include "Base/Error.h"
#include "Base/Timeouts.h"
#include "Peer/Connection.h"
#include "Peer/SnapshotView.h"
#include "Steering/SteeringLog.h"

#include <fstream>
#include <utility>

namespace dsm
{

namespace
{
// Not cleared: all of it is read over.
std::shared_ptr<std::byte[]> Room(const ArrayShape& shape)
{
  return std::make_shared_for_overwrite<std::byte[]>(shape.Bytes());
}
}

FetchedArray FetchFromServer(
  const std::string& contactPath, const PeerDescription& self, const std::string& text)
{
  try
  {
    const SentArray sent = SentArray::FromText(text);
    const auto server = Connection::Open(contactPath, self, Deadline(RequestTimeout()));
    const SnapshotView view(server, sent.Snapshot);
    const auto bytes = Room(sent.Shape);
    view.Read(sent.Elements, bytes.get(), sent.Shape.Bytes());
    return { text, bytes, {} };
  }
  catch (const std::exception& error)
  {
    return { text, nullptr, fmt::format("cannot be read: {}. Send the array again", error.what()) };
  }
}

FetchedArray FetchFromLog(const std::string& logPath, const std::string& text)
{
  const SentArray sent = SentArray::FromText(text);
  const std::string path = ArrayFile(logPath, sent);
  std::ifstream file(path, std::ios::binary);
  const auto bytes = Room(sent.Shape);
  file.seekg(static_cast<std::streamoff>(sent.Elements));
  file.read(reinterpret_cast<char*>(bytes.get()), static_cast<std::streamsize>(sent.Shape.Bytes()));
  if (!file)
  {
    throw Error(Fault::Usage,
      "cannot replay an array that was sent: {} is not there, or is shorter than {}. It was saved "
      "beside the steering log: copy it with that",
      path, sent.Shape.Text());
  }
  return { text, bytes, {} };
}

}
