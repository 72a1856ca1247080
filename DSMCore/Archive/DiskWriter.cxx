// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/DiskWriter.h"

#include "Archive/SeriesFile.h"
#include "Archive/SnapshotWriter.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Log.h"
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

void MakeFolder(const fs::path& folder)
{
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
  {
    throw Error(Fault::System, "cannot make the folder {} for snapshots: {}", folder.string(),
      failed.message());
  }
}

// In a folder, over nothing that is there.
fs::path FreePath(const fs::path& folder, const SnapshotDescription& snapshot)
{
  const fs::path name = fs::path(snapshot.FileName).filename();
  const fs::path path = folder / name;
  return fs::exists(path) ? folder /
      fmt::format(
        "{}.snapshot{}{}", name.stem().string(), snapshot.Number, name.extension().string())
                          : path;
}

// A file of many, into the series of its stream. The file is there whatever becomes of that.
void EnterStep(const fs::path& path, const SnapshotDescription& snapshot)
{
  try
  {
    SeriesFile series(SeriesFile::PathIn(path.parent_path(), snapshot));
    series.Add(path.filename(), snapshot.Step);
    series.Write();
  }
  catch (const Error& error)
  {
    Log().warn("{} is in no series for ParaView: {}", path.string(), error.what());
  }
}

// Where a snapshot goes when nobody says: beside the contact file, over nothing that is there.
fs::path DefaultPath(const std::string& contact, const SnapshotDescription& snapshot)
{
  const fs::path folder = contact + ".saved";
  if (!snapshot.Parts.empty())
  {
    return folder / fmt::format("snapshot{}", snapshot.Number);
  }
  MakeFolder(folder);
  return FreePath(folder, snapshot);
}
}

class DiskWriter::Implementation
{
public:
  explicit Implementation(Server& server)
    : Source(server)
    , Writer(&server)
  {
    server.OfferSaving(true);
    const SignalsBlocked quiet;
    this->Worker = std::thread([this] { this->Run(); });
  }

  ~Implementation()
  {
    this->Source.OfferSaving(false);
    this->Worker.join();
    for (const StandingOrder& order : this->Source.Status().Standing)
    {
      if (order.Waiting > 0)
      {
        Log().error("{} snapshots that order {} ({}) is for are not in the archive: {}",
          order.Waiting, order.Ticket, order.Rule, order.Failure);
      }
    }
  }

private:
  void Run()
  {
    LowerPriority();
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
    if (order.OfMany && !order.Path.empty())
    {
      MakeFolder(path);
      path = FreePath(path, order.Snapshot);
    }
    else if (order.Path.empty())
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
    const FileForm form = FileForm::FromText(order.Form);
    this->Writer.Save(this->Link, order.Snapshot, path.string(), form,
      [this](std::uint64_t bytes) { this->Source.NoteSaving(bytes); });
    if (order.OfMany && form.IsSingle() && order.Snapshot.Parts.empty())
    {
      EnterStep(path, order.Snapshot);
    }
    return AbsoluteName(path.string());
  }

  Server& Source;
  SnapshotWriter Writer; ///< of the worker
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
