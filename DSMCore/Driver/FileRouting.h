// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"
#include "Base/FileMark.h"
#include "Driver/MasterFile.h"
#include "Driver/RoutingSettings.h"
#include "Protocol/PlaceholderContents.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

class Fields;

/// Where a file goes that a program opens through the driver.
enum class Route
{
  Foreign,           ///< to HDF5's own driver, and so to disk
  Snapshot,          ///< an existing snapshot, to read
  Interactions,      ///< what the program can be steered with, to read
  NewImage,          ///< a new image, to write
  ImageFromSnapshot, ///< a new image that begins as a copy of the newest snapshot of its name
  Discarded          ///< nowhere, to write
};

/// What HDF5 asks for.
struct OpenRequest
{
  std::string Name; ///< as the program wrote it
  std::string Path; ///< the same as an absolute name
  bool Write = false;
  bool Create = false;   ///< where there is none
  bool Truncate = false; ///< what there is, is not wanted
  bool Exclusive = false;
  bool WhileRead = false; ///< others read it while it is written (H5F_ACC_SWMR_WRITE)
  bool ReadsLive = false; ///< it is read while another one writes it (H5F_ACC_SWMR_READ)

  /// The snapshot whose virtual dataset or external link leads to the file, if one does.
  std::optional<MasterFile> Master{};

  static OpenRequest FromFlags(const std::string& name, unsigned flags);

  /// Sets Name and Path.
  void SetName(const std::string& name);
};

/// What there is: snapshots and servers, as routing needs to know them.
class SnapshotDirectory
{
public:
  virtual ~SnapshotDirectory() = default;

  /// Contact files of the servers this process is connected to.
  virtual std::vector<std::string> ConnectedContacts() const = 0;

  /// True when a file is the contact file of a server.
  virtual bool IsContactFile(const std::string& path) const = 0;

  /// The newest snapshot under an absolute file name, none if there is none. Throws Error(Gone)
  /// when it has left the ring and no newer file is on disk, Error(NoServer) and the like when the
  /// server cannot be asked.
  virtual std::optional<SnapshotId> Newest(
    const std::string& contact, const std::string& fileName) = 0;

  /// The newest snapshot of the file that a placeholder is of; none if there is none yet. `there`
  /// is the placeholder: its image, or the snapshot before that, says which file. Throws as Newest
  /// does.
  virtual std::optional<SnapshotId> NewestOf(
    const std::string& contact, const std::string& fileName, const PlaceholderContents& there) = 0;

  /// Returns the snapshot of a file that belongs to a master (VersionAt in the server's table), 0
  /// if the file on disk is that, and none if the server knows no such file. `known` is the number
  /// of any snapshot of the file, or 0. Throws as Newest does, Error(Gone) if that snapshot has
  /// left the ring.
  virtual std::optional<SnapshotId> Version(
    const MasterFile& master, const std::string& fileName, SnapshotId known) = 0;

  /// Whether the snapshot that Newest has found last had its name on a disk of this machine.
  virtual bool NewestHadName() const = 0;

  /// The oldest snapshot under an absolute file name that this process has not read
  /// (SnapshotsRead), as soon as there is one. Throws as Newest does, Error(Gone) when none will
  /// come any more, and Error(TimedOut) at the limit.
  virtual SnapshotId Next(
    const std::string& contact, const std::string& fileName, Seconds limit) = 0;

  /// The newest snapshot of all. Throws as Newest does, and Error(Refused) when there is none.
  virtual SnapshotId Latest(const std::string& contact) = 0;

  /// Makes sure that the server takes images. Throws Error(NoServer) and the like.
  virtual void RequireServer(const std::string& contact) = 0;

  /// The names of new files that a server wants (MatchesPattern). Throws Error(NoServer) and the
  /// like.
  virtual std::string Wanted(const std::string& contact) = 0;

  /// The same as last heard, without asking; all names where nothing was heard.
  virtual std::string WantedBefore(const std::string& contact) const = 0;

  /// The program goes on without a server that cannot be asked, for that reason.
  virtual void GoOnWithout(const std::string& contact, const Error& why) = 0;

  /// A file on disk that the server has put there itself.
  struct PutFile
  {
    SnapshotId Newest = 0; ///< the newest snapshot of the file; 0: that is what is on disk
    FileMark Mark{};       ///< of the file on disk
  };

  /// Returns what a file on disk is that the server has put there; none where it has not, or cannot
  /// be asked. `connect`: also if this process is not connected to it yet, and the file was there
  /// before the server. Throws Error(Gone) as Newest does.
  virtual std::optional<PutFile> FindPut(
    const std::string& contact, const std::string& fileName, bool connect) = 0;

  /// True when there is a file on disk.
  virtual bool OnDisk(const std::string& fileName) const = 0;

  /// True when the folder of that name is there, as far as this process sees.
  virtual bool HasFolder(const std::string& fileName) const = 0;

  /// True when a file of that name could be made on disk.
  virtual bool CouldBeOnDisk(const std::string& fileName) const = 0;

  /// True when files of this process in the same folder are in memory and could not have their
  /// names on disk.
  virtual bool LacksNames(const std::string& fileName) const = 0;

  /// What a file on disk says of where its bytes are; none when it is no placeholder.
  virtual std::optional<PlaceholderContents> PlaceholderAt(const std::string& fileName) const = 0;

  /// The contact by which this process reaches the server that a placeholder names: `preferred`,
  /// where that is one of it. Throws Error(NoServer) and the like, and Error(Refused) when another
  /// is there instead.
  virtual std::string ContactOf(
    const PlaceholderAddress& address, const std::optional<std::string>& preferred) = 0;
};

/// The answer.
struct RoutingDecision
{
  Route Where = Route::Foreign;
  std::string Contact;                ///< the server; empty for Foreign and Discarded
  SnapshotId Number = 0;              ///< of the snapshot; 0 for Foreign and NewImage
  std::optional<SlotAddress> Place{}; ///< of the snapshot, as far as its placeholder knows
  /// The image that is read while it is written (OpenRequest::ReadsLive). If the image has ended,
  /// Number counts; 0: there is no snapshot.
  std::optional<SlotAddress> Live{};
  bool Next = false; ///< it counts as read when it has been (SnapshotsRead)
  /// The file on disk that had the name: the server has put it there, or it is a placeholder. The
  /// rank that decides knows it, since it is not broadcast.
  std::optional<FileMark> Put{};
  std::optional<PlaceholderContents> There{};

  bool IsByNameOnDisk() const { return this->Put || this->There; }

  bool operator==(const RoutingDecision&) const = default;
};

void Describe(Fields&, RoutingDecision&);

/// Decides. Where a server cannot be asked, the settings say what follows: a new file goes to disk
/// or nowhere, whatever the reason, or this throws what the directory throws. A file that exists on
/// disk is taken from there; this throws for one that does not, since the server may have had it,
/// and for one that was a snapshot since and is Gone.
/// Throws Error(Usage) where the name and the flags make no sense together, such as writing into a
/// snapshot, or creating a file that exists; Error(Refused) if the file's first writer has not
/// closed it.
RoutingDecision DecideRoute(
  const OpenRequest& request, const RoutingSettings& settings, SnapshotDirectory& directory);

/// Decides the same of a file that has its name on disk: that one, whatever else there is of the
/// name.
RoutingDecision RouteByPlaceholder(const OpenRequest& request, const PlaceholderContents& there,
  const RoutingSettings& settings, SnapshotDirectory& directory);

}
