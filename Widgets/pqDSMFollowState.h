// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMFollowState_h
#define pqDSMFollowState_h

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Decides what the reader of one stream of snapshots is to show next. A state machine without side
/// effects, and without Qt or ParaView: pqDSMFollower reports events to it, carries out the action
/// that an event returns, and reports the action's result.
///
///                            GoToNewest is done
///           +---> CatchUp ------------------------> Follow ---+
///           |       |  ^                              | |     | a newer snapshot: GoToNewest
///           |       |  |  the user loads other arrays | |     | and Follow again
///           |       |  |  of a file, the reader was   | |<----+
///    follow |       |  +-- removed, the server stops -+ |
///           |       |                                   |
///           |       |  hold                             |  hold, pick, the user moves ParaView's
///           time |       v                                   |
///           +----- Hold <-------------------------------+
///
/// CatchUp shows the newest snapshot even when it was shown before. A change of ParaView's time
/// does not count as the user's there: the time that was shown may have left the server's memory,
/// and then ParaView goes to another one.
class pqDSMFollowState
{
public:
  enum class Mode
  {
    CatchUp,
    Follow, ///< the newest snapshot that was reported is shown
    Hold,   ///< the user chooses what is shown
  };

  enum class ReaderState
  {
    Missing,   ///< there is none; the first snapshot makes one, if that is automatic
    Found,     ///< there is one that we did not make: the user, a state file or a script did
    Made,      ///< there is one, and we have made one since Start
    Dismissed, ///< there is none, since the one we made was removed: the next snapshot makes none
  };

  enum class Action
  {
    None,
    MakeReader,   ///< make a reader that shows the newest snapshot; then readerMade(), shown()
    GoToNewest,   ///< let the reader list its snapshots, show the newest; then newestShown()
    ReportShown,  ///< ask the reader what it shows now; then shown()
    Render,       ///< render the views
    GoToTime,     ///< go to pickedTime(); then shown()
    SelectNumber, ///< show the picked snapshot by its number, at all times; then shown()
  };

  /// What the server says at one moment.
  struct Status
  {
    bool Running = false;
    std::int64_t Newest = 0;  ///< the newest snapshot's number; 0: there is no snapshot
    std::int64_t Writers = 0; ///< how many simulations have connected since Start
    bool Lost = false; ///< the memory cannot be reached: nothing can be read until it can be again
  };

  /// A snapshot in the reader's list.
  struct Listed
  {
    std::int64_t Number = 0;
    double Time = 0;
  };

  ///@{
  /// Whether the first snapshot makes a reader.
  void setAutomatic(bool automatic) { this->Automatic = automatic; }
  bool automatic() const { return this->Automatic; }
  ///@}

  ///@{
  /// \name Events. `time` is ParaView's time at that moment.
  Action statusSeen(const Status& status, double time);
  /// Another server, without a reader.
  void connectionChanged();
  void readerFound();
  void readerRemoved();
  void follow(double time);
  void hold(double time);
  /// The user wants to see the stream: where there is no reader, the next status makes one.
  void want();
  /// The reader was told to load other arrays.
  Action contentsChanged();
  /// The user chose a snapshot. Returns MakeReader, or None where there is a reader. Then the
  /// reader is to list its snapshots, for pickListed().
  Action pick(double time);
  /// Whether the reader can show it by its time: when no other snapshot has that time, and the
  /// reader's data are of the kind that is displayed.
  Action pickListed(
    std::int64_t number, const std::vector<Listed>& listed, const std::string& kind);
  ///@}

  ///@{
  /// \name Results of actions.
  /// `kind` is the class of the reader's data. Not called when the reader could not be made.
  void readerMade(const std::string& kind);
  void wentTo(double time) { this->Time = time; }
  void shown(std::int64_t number) { this->ShownNumber = number; }
  /// The same after GoToNewest: counts the snapshots that were skipped. `others`: those of other
  /// streams among the numbers since the one that was shown before.
  void newestShown(std::int64_t number, std::int64_t others = 0);
  ///@}

  ///@{
  /// \name The kind of data
  /// A representation shows one kind: an image, a table. Data of another kind are displayed anew,
  /// in a view for them, when another simulation has connected or the user picked them. Else a
  /// simulation that writes several kinds in turn would have views come and go.
  bool mustCheckKind() const { return this->DisplayedFor != this->Seen.Writers; }
  /// Whether to replace the reader's representations; then displayedAnew().
  bool kindSeen(const std::string& kind);
  void displayedAnew() { this->DisplayedFor = this->Seen.Writers; }
  /// The next snapshot may be of another kind, whoever wrote it.
  void forgetDisplayed() { this->DisplayedFor = Nobody; }
  ///@}

  Mode mode() const { return this->CurrentMode; }
  bool following() const { return this->CurrentMode != Mode::Hold; }
  /// Whether the user has moved ParaView's time, so that the next status will hold.
  bool isElsewhere(double time) const
  {
    return this->hasReader() && this->CurrentMode != Mode::CatchUp && time != this->Time;
  }
  ReaderState reader() const { return this->Reader; }
  double pickedTime() const { return this->PickedTime; }
  /// The snapshot that was shown last; 0: none.
  std::int64_t shown() const { return this->ShownNumber; }
  /// The same when GoToNewest began.
  std::int64_t shownBefore() const { return this->ShownBefore; }
  /// Snapshots that were not shown, since newer ones had come.
  std::int64_t skipped() const { return this->SkippedCount; }

private:
  bool hasReader() const
  {
    return this->Reader == ReaderState::Found || this->Reader == ReaderState::Made;
  }
  void catchUp();
  void setMode(Mode mode, double time);
  void forgetReader();

  static constexpr std::int64_t Nobody = -1;

  bool Automatic = true;
  Mode CurrentMode = Mode::CatchUp;
  ReaderState Reader = ReaderState::Missing;
  Status Seen;
  std::int64_t Newest = 0; ///< with Follow: the newest snapshot that was shown
  std::int64_t ShownNumber = 0;
  std::int64_t ShownBefore = 0; ///< when GoToNewest began
  std::int64_t SkippedCount = 0;
  double Time = 0; ///< of what is shown; another one was chosen by the user
  double PickedTime = 0;
  std::string Kind;                   ///< of what is displayed; empty: not known
  std::int64_t DisplayedFor = Nobody; ///< Seen.Writers at that moment
};

#endif
