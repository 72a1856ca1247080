// SPDX-License-Identifier: BSD-3-Clause
#include "Client/FetchedArray.h"

#include "Base/Error.h"
#include "Base/Timeouts.h"
#include "Client/LibraryBeside.h"
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

/// The library for viewers, which reaches the hosts' memory: functions of dsm_viewer.h.
struct ViewerLibrary
{
  struct Viewer; ///< a dsm_viewer

  const LibraryBeside Library{ "libdsm-viewer.so", "read an array" };
  Viewer* (*const Open)(const char*, double) = Library.Find<Viewer*(const char*, double)>(
    "dsm_viewer_open");
  void (*const Close)(Viewer*) = Library.Find<void(Viewer*)>("dsm_viewer_close");
  void* (*const Read)(Viewer*, std::uint64_t, std::uint64_t, void*, std::uint64_t) =
    Library.Find<void*(Viewer*, std::uint64_t, std::uint64_t, void*, std::uint64_t)>(
      "dsm_viewer_read");
  const char* (*const Failure)() = Library.Find<const char*()>("dsm_viewer_error");
};
}

FetchedArray FetchFromServer(const std::string& contactPath, const std::string& text)
{
  try
  {
    const SentArray sent = SentArray::FromText(text);
    const ViewerLibrary library;
    const std::unique_ptr<ViewerLibrary::Viewer, void (*)(ViewerLibrary::Viewer*)> viewer(
      library.Open(contactPath.c_str(), RequestTimeout().count()), library.Close);
    const auto bytes = Room(sent.Shape);
    if (!viewer ||
      !library.Read(viewer.get(), sent.Snapshot, sent.Elements, bytes.get(), sent.Shape.Bytes()))
    {
      throw Error(Fault::System, "{}", library.Failure());
    }
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
