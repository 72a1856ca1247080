// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/RequestId.h"
#include "Protocol/Descriptions.h"
#include "Server/Core/SnapshotGroups.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dsm
{

struct Peer;

/// An image was begun.
struct ImageBegun
{
  ImageId Image = 0;
  PeerId Owner;
  SnapshotGroups::Writer Writer;
  std::string FileName;
  SnapshotId Source = 0; ///< the snapshot whose bytes it begins with; 0: none
};

/// An image has become a snapshot, or a flush shows it as one.
struct SnapshotSealed
{
  ImageId Image = 0;
  SnapshotId Number = 0;
  bool GoesOn = false;      ///< a flush: the image is still being written
  bool StaysClosed = false; ///< nobody is about to open it again: it was brought back, or its
                            ///< writer was lost
};

/// An image has ended without another snapshot.
struct ImageEnded
{
  ImageId Image = 0;
  bool WasSkipped = false; ///< for want of room
};

/// The file of a snapshot has another name, which the snapshot has now.
struct SnapshotRenamed
{
  SnapshotId Number = 0;
  std::string Before;       ///< the name that it had
  std::string StreamBefore; ///< and its stream
};

/// A peer has ended or vanished. It is not among the peers any more.
struct PeerLeft
{
  PeerId Id;
  const Peer& Who;
  bool IsLost = false; ///< it did not say goodbye
  std::string How;     ///< "ended", "exited without disconnecting"
};

/// Hears of snapshots. A new observer derives from this and subscribes in ServerCore.
class SnapshotObserver
{
public:
  virtual ~SnapshotObserver() = default;

  virtual void OnBegun(const ImageBegun&) {}
  virtual void OnSealed(const SnapshotSealed&) {}
  virtual void OnEnded(const ImageEnded&) {}
  /// Viewers hear of a snapshot. If it has parts, this is the one that stands for all.
  virtual void OnAnnounced(const SnapshotDescription&) {}
  /// A snapshot that viewers have heard of has got a part that came late. Its number stays.
  virtual void OnExtended(const SnapshotDescription&) {}
  /// Viewers will never hear of a snapshot, since a part of its group has left the ring.
  virtual void OnWithheld(const SnapshotDescription&) {}
  /// Hidden snapshots may have been replaced by newer ones of their names.
  virtual void OnReplaced() {}
  /// All announcements that were due together have been made.
  virtual void OnAllAnnounced() {}
  /// The bytes of a snapshot are in other places now.
  virtual void OnMoved(const SnapshotDescription&) {}
  virtual void OnRenamed(const SnapshotRenamed&) {}
  /// A snapshot has left the ring.
  virtual void OnEvicted(const SnapshotDescription&) {}
  virtual void OnPeerLeft(const PeerLeft&) {}
};

/// An ordered list of observers, each of which hears of each event once.
class SnapshotEvents
{
public:
  /// The observer must outlive this. Observers are called in the order in which they subscribed.
  void Subscribe(SnapshotObserver& observer) { this->Observers.push_back(&observer); }

  template <typename... Parameters, typename... Arguments>
  void Publish(void (SnapshotObserver::*event)(Parameters...), const Arguments&... arguments) const
  {
    for (SnapshotObserver* observer : this->Observers)
    {
      (observer->*event)(arguments...);
    }
  }

private:
  std::vector<SnapshotObserver*> Observers;
};

}
