// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/DiskWriter.h"

#include "Archive/ArchivePath.h"
#include "Archive/SeriesFile.h"
#include "Archive/SnapshotWriter.h"
#include "Archive/Subfiles.h"
#include "Base/BoundedMap.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Log.h"
#include "Base/Threads.h"
#include "Peer/Connection.h"
#include "Peer/Peek.h"
#include "Peer/SnapshotView.h"
#include "Server/Server.h"

#include <filesystem>
#include <thread>

namespace dsm
{

namespace
{
namespace fs = std::filesystem;

// The number of files of standing orders of which it is known where they are, should they be
// renamed.
constexpr std::size_t MostPlaces = 4096;

// Changes the series of a file's stream. The file is there whatever becomes of that.
template <typename Change>
void ChangeSeries(const fs::path& path, const SnapshotDescription& snapshot, const Change& change)
{
  try
  {
    SeriesFile series(SeriesFile::PathIn(path.parent_path(), snapshot));
    change(series);
    series.Write();
  }
  catch (const Error& error)
  {
    Log().warn("{} is in no series for ParaView: {}", path.string(), error.what());
  }
}
}

class DiskWriter::Implementation
{
public:
  explicit Implementation(Server& server)
    : Source(server)
    , Writer(&server)
  {
    server.Archive().Offer(true);
    const SignalsBlocked quiet;
    this->Worker = std::thread([this] { this->Run(); });
  }

  ~Implementation()
  {
    this->Source.Archive().Offer(false);
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
    while (const auto order = this->Source.Archive().WaitForOrder())
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
      this->Source.Archive().Done(*order, path, failure);
    }
  }

  static bool IsOfSeries(const SaveOrder& order)
  {
    return order.OfMany && FileForm::FromText(order.Form).IsSingle() &&
      order.Snapshot.Parts.empty();
  }

  static void EnterStep(const fs::path& path, const SaveOrder& order)
  {
    if (IsOfSeries(order))
    {
      ChangeSeries(path, order.Snapshot,
        [&](SeriesFile& series) { series.Add(path.filename(), order.Snapshot.Step); });
    }
  }

  // Returns the path; empty if it is not known any more where the file is.
  std::string Rename(const SaveOrder& order)
  {
    const std::pair key(order.Ticket, order.Snapshot.Number);
    const Place* const place = this->Places.Find(key);
    if (!place)
    {
      return {};
    }
    const fs::path before = place->Path;
    const fs::path now = archivepath::FreeIn(before.parent_path(), order.Snapshot);
    Subfiles::Rename(before, now);
    if (IsOfSeries(order))
    {
      ChangeSeries(
        before, place->Snapshot, [&](SeriesFile& series) { series.Remove(before.filename()); });
    }
    EnterStep(now, order);
    this->Places[key] = { now, order.Snapshot };
    return AbsoluteName(now.string());
  }

  std::string Write(const SaveOrder& order)
  {
    if (order.IsRename)
    {
      return this->Rename(order);
    }
    fs::path path;
    if (order.OfMany && !order.Path.empty())
    {
      archivepath::MakeFolder(order.Path);
      path = archivepath::FreeIn(order.Path, order.Snapshot);
    }
    else
    {
      path = order.Path.empty() ? archivepath::Default(this->Source.ContactPath(), order.Snapshot)
                                : archivepath::At(order.Path, order.Snapshot);
    }
    if (!this->Link || !this->Link->Alive())
    {
      this->Link =
        Connection::Open(this->Source.ContactPath(), "viewer", 1, Deadline(RequestTimeout()));
    }
    const Peek peek; // what is archived has not been looked at
    this->Writer.Save(this->Link, order.Snapshot, path.string(), FileForm::FromText(order.Form),
      [this](std::uint64_t bytes) { this->Source.Archive().NoteSaving(bytes); });
    EnterStep(path, order);
    if (order.OfMany)
    {
      this->Places[{ order.Ticket, order.Snapshot.Number }] = { path, order.Snapshot };
    }
    return AbsoluteName(path.string());
  }

  /// The place of a file of a standing order, and the snapshot as it was when it got there.
  struct Place
  {
    fs::path Path;
    SnapshotDescription Snapshot;
  };

  Server& Source;
  SnapshotWriter Writer; ///< of the worker
  BoundedMap<std::pair<std::uint64_t, SnapshotId>, Place> Places{ MostPlaces };
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
