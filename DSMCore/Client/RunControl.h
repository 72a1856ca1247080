// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Client/Bindings.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dsm
{

/// The commands every simulation understands, and what it is to write. Its state follows from the
/// transactions alone, so it is the same on every rank without a message of its own.
class RunControl
{
public:
  /// Declares pause, resume, advance, pause at, stop and write to disk. The bindings must outlive
  /// this.
  explicit RunControl(Bindings& bindings);

  /// A step begins: counts down what "advance" allowed, and pauses at the step of "pause at".
  void BeginStep(std::int64_t step);

  bool Paused() const { return this->Pause && !this->Stop; }
  bool Stopping() const { return this->Stop; }

  /// Declares "output interval" and "write snapshot".
  void OfferOutput(std::int64_t interval);
  bool OutputDue() const;

  /// How the program writes a snapshot: for one that is asked for while paused.
  void SetWriter(std::function<void()> writer) { this->Writer = std::move(writer); }

  /// While paused, has the program write the snapshot that was asked for, if it has said how; then
  /// it is not due any more.
  void WriteWhilePaused();

  /// Adds to outcomes what a viewer cannot know: that a snapshot has to wait for the end of a
  /// pause.
  void Explain(std::vector<Outcome>& outcomes) const;

  /// Whether "write to disk" came since the last call, and of which snapshot: the "next", which
  /// this step writes, or the "newest" where the program does not let its output be steered. Else
  /// empty.
  std::string TakeDiskOrder();

  /// The number of the transaction that commanded "write to disk"; 0: a replay's.
  static std::uint64_t DiskOrder(const std::vector<Outcome>& outcomes);

  /// Declares a dataset or group at the first call; false when it or what holds it is off.
  bool Enabled(const std::string& path);

  /// True for the commands that steer time and not the result: a replay leaves them out.
  static bool OnlyTiming(const std::string& command);

private:
  bool OutputAsked() const;

  Bindings& Known;
  bool Pause = false;
  bool Stop = false;
  bool ToDisk = false;
  std::int64_t StepsToGo = 0; ///< until the next pause; 0: no end
  std::int64_t PauseStep = 0; ///< at which it pauses; 0: none
  std::int64_t Step = 0;
  bool HasOutput = false;
  std::function<void()> Writer; ///< empty: the program writes in its time loop only
  std::int64_t Interval = 0;
  std::map<std::string, bool> Datasets; ///< nodes do not move: bound
};

}
