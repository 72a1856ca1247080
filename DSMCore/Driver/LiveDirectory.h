// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Driver/FileRouting.h"
#include "Peer/Connection.h"
#include "Peer/SnapshotView.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace dsm
{

/// The snapshots of the servers this process can reach. It exists during one open: a
/// snapshot it was asked about is held, so that it cannot vanish between the answer and its use.
class LiveDirectory : public SnapshotDirectory
{
public:
  /// How this process introduces itself to a server it is not yet connected to.
  LiveDirectory(const std::string& role, std::uint64_t ranks);

  std::vector<std::string> ConnectedContacts() const override;
  bool IsContactFile(const std::string& path) const override;
  std::optional<SnapshotId> Newest(
    const std::string& contact, const std::string& fileName) override;
  std::optional<SnapshotId> NewestOf(const std::string& contact, const std::string& fileName,
    const PlaceholderContents& there) override;
  SnapshotId Next(const std::string& contact, const std::string& fileName, Seconds limit) override;
  SnapshotId Latest(const std::string& contact) override;
  void RequireServer(const std::string& contact) override;
  std::string Wanted(const std::string& contact) override;
  std::string WantedBefore(const std::string& contact) const override;
  bool NewestHadName() const override;
  void GoOnWithout(const std::string& contact, const Error& why) override;
  std::optional<SnapshotId> Version(
    const MasterFile& master, const std::string& fileName, SnapshotId known) override;
  std::optional<PutFile> FindPut(
    const std::string& contact, const std::string& fileName, bool connect) override;
  bool OnDisk(const std::string& fileName) const override;
  bool HasFolder(const std::string& fileName) const override;
  bool CouldBeOnDisk(const std::string& fileName) const override;
  bool LacksNames(const std::string& fileName) const override;
  std::optional<PlaceholderContents> PlaceholderAt(const std::string& fileName) const override;

  /// Returns the mark of the file that PlaceholderAt has found last, if that was no placeholder.
  const std::optional<FileMark>& Plain() const { return this->PlainFile; }

  std::string ContactOf(
    const PlaceholderAddress& address, const std::optional<std::string>& preferred) override;

  /// Where a program goes on without its server, no file waits long for one that was lost.
  void SetPolicy(WithoutServer policy) { this->IfLost = policy; }

  /// Whether the program went on without a server in this open.
  bool Missed() const { return this->WentOn; }

  /// Waits for a server that could not be reached, for that reason, and says so after a while.
  /// Throws at the limit, which counts from the first call.
  void Await(const std::string& contact, const Error& why);

  /// The connection to a server; opened within RequestTimeout() if there is none.
  std::shared_ptr<Connection> Link(const std::string& contact);

  /// The open connection to the server that a placeholder names; null when there is none.
  static std::shared_ptr<Connection> Connected(const PlaceholderAddress& address);

  /// A view of a decision's snapshot: the one that Newest holds if it is that.
  std::unique_ptr<SnapshotView> View(const RoutingDecision& decision, const std::string& fileName);

  /// Lets go of what Newest holds: what is to be written further is not read here.
  void LetGo() { this->NewestView.reset(); }

private:
  using Opening =
    std::function<std::unique_ptr<SnapshotView>(const std::shared_ptr<Connection>& link)>;
  std::optional<SnapshotId> Find(const std::string& contact, const Opening& open);

  std::string Role;
  std::uint64_t Ranks;
  WithoutServer IfLost = WithoutServer::Disk;
  bool WentOn = false;
  std::optional<Deadline> Patience;
  std::map<std::string, std::shared_ptr<Connection>> Links;
  std::unique_ptr<SnapshotView> NewestView;
  std::string NewestContact;
  mutable std::optional<FileMark> PlainFile;
};

}
