// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/NumberRoles.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

/// Tells the streams and the runs of what is written apart. A simulation writes fields, particles
/// and checkpoints in turn: each is a stream, which a viewer follows by itself.
///
///     run 1:  fields/out.0001.h5  parts.0001.h5  fields/out.0002.h5  parts.0002.h5
///     run 2:  (the program has come again)       fields/out.0001.h5  parts.0001.h5
///             '-- stream out.#.h5 --'            '- stream parts.#.h5 -'
///
/// A stream are the files whose last names differ in numbers only; where these have no number,
/// those in the folders' names may differ as well ("step12/out.h5"). It is called by that name, so
/// that a pipeline made for one run fits the next one, wherever that writes. Only where one run
/// writes such files to several folders are those streams apart, and the later ones have a folder
/// in their names.
///
/// Files that are brought back from disk are streams of their own beside those of simulations, with
/// a folder in their names: who follows a simulation does not get them. A simulation that begins
/// when there are only restored files goes on with their streams.
///
/// Numbers that tell kinds apart stay in the stream's name ("out1.#.h5" and "out2.#.h5"). That is
/// learned from the first files (NumberRoles), so what these were called may change: see Revision.
///
/// A run is what one program writes, or one job of several. A script may start a program for each
/// step: if the last writer of a stream has gone, the same program continues its run if both belong
/// to one launch and the steps continue. Any other writer begins a run. A program that its user
/// starts again is always another run, because its parameters may be others.
///
/// Knows the streams of the last files: 8192 at least, 16384 at most.
///
/// Decisions only: no lock or thread. Not thread safe.
class StreamBook
{
public:
  struct Writer
  {
    std::string Identity; ///< the same for all processes of a job, and for no other
    std::string Program;
    std::string Process;   ///< one process of the job, or the ranks that write a file together
    std::string Launch{};  ///< differs between two launches by the user; empty: unknown
    bool Restores = false; ///< brings files back from disk, which simulations wrote before
  };

  struct Place
  {
    std::string Stream;
    std::uint64_t Run = 0;      ///< 1, 2, 3, …
    std::optional<double> Step; ///< none: the name has none

    bool operator==(const Place&) const = default;
  };

  /// Whether a writer of that identity is connected. Asked only about what was not there before: a
  /// server may have thousands of peers.
  using IsPresent = std::function<bool(const std::string& identity)>;

  /// A file was begun; `again`: one that was written before was opened.
  Place Enter(const std::string& fileName, const Writer& writer, const IsPresent& isPresent,
    bool again = false);

  /// A flush has shown another state of a file that is open.
  void NoteShown(const std::string& fileName, const std::string& stream, const Writer& writer);

  /// Counts how often something was learned that changes what files were entered as.
  std::uint64_t Revision() const { return this->Learned; }

  /// Returns as what a file is known now that was entered as of `stream`. None if there was no such
  /// stream.
  struct Known
  {
    std::string Stream;
    std::optional<double> Step;
  };
  std::optional<Known> KnownAs(const std::string& fileName, const std::string& stream);

  /// The name under which a file was entered, and the stream that it was entered in.
  struct EnteredFile
  {
    std::string FileName;
    std::string Stream;
  };

  /// Returns as what a file is known that has another name now. Its numbers mean what they meant
  /// before. A program that writes a file under another name, and renames it when it is whole, does
  /// so with all files of the stream: the stream is called by the names that they get, from its
  /// first file on ("out.#.h5", of "out.0003.h5.tmp" as well).
  Known Rename(const EnteredFile& entered, const std::string& renamed);

  /// Which stream a file would be of that was begun now.
  std::string StreamOf(
    const std::string& fileName, const Writer& writer, const IsPresent& isPresent) const;

  /// The run of a writer; 0: it has written nothing.
  std::uint64_t RunOf(const std::string& identity) const;

private:
  struct Stream
  {
    std::string Prefix;               ///< of its name: folders that tell it from others
    std::vector<std::string> Between; ///< the text of its name, if its files are renamed
    std::string Folder;               ///< where its last file was
    NumberRoles Roles;
    Writer Last;
    std::uint64_t Files = 0; ///< that the last writer has written of it
    std::string LastFile;    ///< the last one with a number
    std::uint64_t Used = 0;  ///< when its last file was entered, by the count of all
    bool IsRestored = true;  ///< no simulation has written a file of it
  };

  using Streams = std::multimap<std::string, Stream>;

  Streams::const_iterator Find(const std::string& last, const std::string& folder,
    const Writer& writer, const IsPresent& isPresent) const;
  std::string NewPrefix(const std::string& last, const std::string& folder) const;
  bool GoesOn(const Stream& stream, const std::string& fileName, const Writer& writer,
    const IsPresent& isPresent) const;
  void Forget(const IsPresent& isPresent);
  void ForgetOldest();
  Known Note(Streams::iterator place, const std::string& fileName, const Writer& writer);
  static Known As(const Stream& stream, NumberedStem numbered);
  Known Name(Streams::iterator place, NumberedStem numbered);

  Streams All; ///< by their last names
  std::map<std::string, Streams::iterator> Names;
  std::map<std::string, std::uint64_t> Runs; ///< by the writers' identities
  std::uint64_t LastRun = 0;
  std::uint64_t Learned = 0;
  std::uint64_t Entered = 0; ///< files
};

/// Whether a stream is one of those that a pattern names. '#' in the pattern stands for any number,
/// so "out#.#.h5" names "out1.#.h5" and "out2.#.h5".
bool NamesAny(const std::string& pattern, const std::string& stream);

/// Whether a pattern is the name of a stream ("out.#.h5"), as NamesAny has it, or of what one run
/// has written of it ("out.#.h5@2").
bool NamesStream(const std::string& pattern, const std::string& stream, std::uint64_t run);

/// Whether a pattern of a viewer (MatchesPattern), or such a name, fits a snapshot. `run` 0: any.
bool FitsStream(const std::string& pattern, const std::string& fileName, const std::string& stream,
  std::uint64_t run = 0);

}
