// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"
#include "Base/FileName.h"
#include "Base/StrongType.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dsm
{

/// Which snapshots are one snapshot for viewers. Many programs write one file per process, so a
/// step is as many files as there are processes, and one of them is no picture of the simulation:
///
///     process 0:  out.0001.p0.h5   out.0002.p0.h5   ...
///     process 1:  out.0001.p1.h5   out.0002.p1.h5   ...
///                 '- one group -'  '- one group -'
///
/// The files of one job whose names differ in numbers only are looked at together. The numbers that
/// each process always has, and no other has, are those of the part; the others tell the group. So
/// it is learned from the first step, without any convention on names. A file that a process writes
/// again and again is of another group each time.
///
/// A group is complete when each process that is known to write such files has written its own, or
/// will not: it has ended, or has gone on with the next. Of the first group nobody knows how many
/// there are: it is complete when all processes of the job have written, or no such file has been
/// open for a second. For as long the first file of a single process waits; those that were told of
/// before another process came are told of again, with its own. A group that is not complete is
/// announced all the same ten seconds after its last file, and once more with each file that comes
/// later. A group has the highest number of its files. If the late file's number is lower, viewers
/// already have the group's number, and the group is only extended.
///
/// What is ready is told of in the order of the last numbers, since there are viewers that go from
/// one to the next: so what was written after a part of a group that is not complete waits.
///
/// Decisions only: no clock, lock or thread. Not thread safe.
class SnapshotGroups
{
public:
  using Time = Clock::time_point;

  /// Who writes a file.
  struct Writer
  {
    std::string Peer;
    std::string Job;             ///< empty: no file of it is a part of others
    std::uint64_t Processes = 1; ///< of the job; or as many groups of them as write a file each
    bool IsOne = true;           ///< one process, and not a group
  };

  /// What viewers are told of.
  struct Group
  {
    std::vector<SnapshotId> Snapshots; ///< one; or the parts, in the order of their own numbers
    std::string Name;                  ///< of several: with '*' for the part's numbers
    std::uint64_t Missing = 0;         ///< how many parts did not come in time
    bool IsExtended = false;           ///< viewers heard of its highest number before
  };

  /// An image was begun.
  void Begun(ImageId image, const Writer& writer, const std::string& fileName, Time now);

  /// The group that something will be a part of, as far as is known.
  struct Joined
  {
    std::uint64_t Number = 0; ///< of the group; 0: none
    bool HasOthers = false;   ///< it has parts already
  };

  ///@{
  /// What a writer would begin now; and the next snapshot of an image.
  Joined WouldJoin(const Writer& writer, const std::string& fileName) const;
  Joined WillJoin(ImageId image);
  ///@}

  /// It has become a snapshot, or a flush has shown it as one and it `goesOn`.
  void Sealed(ImageId image, SnapshotId snapshot, bool goesOn);

  /// It has ended without a snapshot. `skipped`: for want of room.
  void Ended(ImageId image, bool skipped = false);

  /// A peer has gone: it writes nothing more.
  void Gone(const std::string& peer, Time now);

  /// A snapshot may be told of, were it by itself.
  void Due(SnapshotId snapshot, Time now);

  /// A snapshot has left the ring. Where it was a part of a group that nobody has been told of,
  /// none will: that group's name, the first time.
  std::optional<std::string> Left(SnapshotId snapshot);

  /// What is to be told of now, in that order.
  std::vector<Group> TakeReady(Time now);

  /// All that waits: no more is coming.
  std::vector<Group> TakeAll();

  /// The snapshots that nobody will be told of, since a part of their group has left the ring.
  std::vector<SnapshotId> TakeUseless() { return std::exchange(this->Useless, {}); }

private:
  /// What is known of a process by the names of its files.
  struct Process
  {
    std::vector<std::string> Numbers; ///< in the last name
    std::vector<bool> Fixed;          ///< which of them have always been the same
    std::uint64_t Times = 0;          ///< that it has shown the file of the last name
    std::uint64_t LatestGroup = 0;
    bool IsOne = true;
    bool Ended = false;
  };

  struct File
  {
    std::string Peer;
    NumberedName Name;
    std::uint64_t Times = 0; ///< the how many-th of that name
  };

  struct Part
  {
    SnapshotId Snapshot = 0;
    File What;
    bool Told = false;
  };

  /// The numbers that tell it, and the how many-th file of each name it is of.
  using Key = std::pair<std::vector<std::string>, std::uint64_t>;

  struct Gathering
  {
    std::uint64_t Order = 0;  ///< its number
    std::uint64_t Sealed = 0; ///< how many parts there are, those that are not due as well
    std::vector<Part> Parts;
    SnapshotId Last = 0; ///< the highest number of them
    Time Latest;
    bool Told = false;   ///< as a group
    bool Broken = false; ///< one of them has left the ring, or never got there
  };

  /// The files of a job whose names differ in numbers only.
  struct Stream
  {
    std::uint64_t Processes = 1;
    std::map<std::string, Process> Writers;
    std::uint64_t Ended = 0; ///< of those
    Time LastEnd;
    Time LastBegun; ///< of its files
    /// For each number: how many processes have always had which.
    std::vector<std::map<std::string, std::uint64_t>> Values;
    std::vector<bool> OfPart; ///< which numbers are the part's; empty: not known, or none
    std::uint64_t Open = 0;   ///< images
    std::uint64_t Coming = 0; ///< snapshots that are not due yet
    bool Settled = false;     ///< it is known who writes
    std::vector<Part> Undecided;
    Time Since;                ///< of the first of those
    std::deque<Part> ToldEach; ///< before it was known that others write, the last ones
    std::map<Key, Gathering> Groups;
  };

  using StreamKey = std::pair<std::string, std::string>;

  /// An image, or a snapshot before it is due.
  struct Known
  {
    StreamKey In;
    File What;
  };

  static StreamKey StreamOf(const Writer& writer, const NumberedName& name);
  static void Unfix(Stream& stream, Process& process, std::size_t number);
  static void ReplaceEnded(Stream& stream, const NumberedName& name);
  static Process& Learn(Stream& stream, const Writer& writer, const NumberedName& name);
  void Decide(const StreamKey& in, Time now);
  void Place(const StreamKey& in, Part part, Time now);
  void TellEach(Stream& stream, std::vector<Part> parts);
  static std::uint64_t Missing(const Stream& stream, const Gathering& group);
  static bool IsComplete(const Stream& stream, const Gathering& group, Time now);
  static Key KeyOf(const Stream& stream, const File& what);
  Gathering& GroupOf(Stream& stream, const Key& key);
  static bool HasNews(const Gathering& group);
  void Drop(Gathering& group);
  Group Tell(const StreamKey& in, const Key& key);
  std::vector<Group> Take(std::optional<Time> now);
  void ForgetIdle(Time now);
  static void Forget(Stream& stream, std::map<std::string, Process>::iterator writer);

  std::map<StreamKey, Stream> Streams;
  std::map<ImageId, Known> Images;
  std::map<SnapshotId, Known> Sealing;
  std::map<SnapshotId, std::pair<StreamKey, Key>> Places; ///< of the groups' parts
  std::set<SnapshotId> Single;                            ///< to be told of by themselves
  std::vector<SnapshotId> Useless;
  std::uint64_t LastGroup = 0;
};

}
