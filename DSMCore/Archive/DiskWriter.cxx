// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/DiskWriter.h"

#include "Archive/SaveSnapshot.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Threads.h"
#include "Session/Connection.h"
#include "Session/Peek.h"
#include "Session/Server.h"
#include "Session/SnapshotView.h"

#include <filesystem>
#include <thread>

namespace dsm
{

namespace
{
namespace fs = std::filesystem;

// Where a snapshot goes when nobody says: beside the contact file, over nothing that is there.
fs::path DefaultPath(const std::string& contact, const SnapshotDescription& snapshot)
{
  const fs::path folder = contact + ".saved";
  if (!snapshot.Parts.empty())
  {
    return folder / fmt::format("snapshot{}", snapshot.Number);
  }
  fs::create_directories(folder);
  const fs::path name = fs::path(snapshot.FileName).filename();
  fs::path path = folder / name;
  if (fs::exists(path))
  {
    path = folder /
      fmt::format(
        "{}.snapshot{}{}", name.stem().string(), snapshot.Number, name.extension().string());
  }
  return path;
}
}

class DiskWriter::Implementation
{
public:
  explicit Implementation(Server& server)
    : Source(server)
  {
    server.OfferSaving(true);
    const SignalsBlocked quiet;
    this->Worker = std::thread([this] { this->Run(); });
  }

  ~Implementation()
  {
    this->Source.OfferSaving(false);
    this->Worker.join();
  }

private:
  void Run()
  {
    while (const auto order = this->Source.WaitForSaveOrder())
    {
      std::string path;
      std::string failure;
      try
      {
        path = this->Write(*order);
      }
      catch (const std::exception& error)
      {
        failure = error.what();
      }
      this->Source.SaveDone(*order, path, failure);
    }
  }

  std::string Write(const SaveOrder& order)
  {
    fs::path path = order.Path;
    if (order.Path.empty())
    {
      path = DefaultPath(this->Source.ContactPath(), order.Snapshot);
    }
    else if (fs::is_directory(path) && order.Snapshot.Parts.empty())
    {
      path /= fs::path(order.Snapshot.FileName).filename();
    }
    if (!this->Link || !this->Link->Alive())
    {
      this->Link =
        Connection::Open(this->Source.ContactPath(), "viewer", 1, Deadline(RequestTimeout()));
    }
    const Peek peek; // what is archived has not been looked at
    SaveSnapshot(this->Link, order.Snapshot, path.string());
    return AbsoluteName(path.string());
  }

  Server& Source;
  std::shared_ptr<Connection> Link;
  std::thread Worker;
};

DiskWriter::DiskWriter(Server& server)
{
  if (server.Steering())
  {
    this->Self = std::make_unique<Implementation>(server);
  }
}

DiskWriter::~DiskWriter() = default;

}
