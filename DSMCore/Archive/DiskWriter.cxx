// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/DiskWriter.h"

#include "Archive/ArchivePath.h"
#include "Archive/SeriesFile.h"
#include "Archive/SnapshotWriter.h"
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

  std::string Write(const SaveOrder& order)
  {
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
    const FileForm form = FileForm::FromText(order.Form);
    this->Writer.Save(this->Link, order.Snapshot, path.string(), form,
      [this](std::uint64_t bytes) { this->Source.Archive().NoteSaving(bytes); });
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
