// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSceneTicks_h
#define pqDSMSceneTicks_h

#include <vtkObject.h>      // For vtkWeakPointer to one
#include <vtkWeakPointer.h> // For vtkWeakPointer

#include <array>

class pqServer;

/// Knows when ParaView's animation scene of a connection is changing its time (a tick).
///
/// ParaView handles all events in the middle of each tick, so that Play can be stopped:
///
///     tick --> views update --> ParaView handles events --> views render --> end of the tick
///                                  |
///                                  +--> the panel's timer, or what the user clicks
///
/// Another tick must not begin in there: the scene ignores a new time, and Play or Save Animation
/// ends the process. So whoever is called by the panel's timer or by a click asks isUnderway()
/// first. The panel's own ticks handle no events: what the user clicks meanwhile waits until the
/// panel is done.
class pqDSMSceneTicks
{
public:
  pqDSMSceneTicks() = default;
  ~pqDSMSceneTicks();
  pqDSMSceneTicks(const pqDSMSceneTicks&) = delete;
  pqDSMSceneTicks& operator=(const pqDSMSceneTicks&) = delete;

  /// Watches the scene of this connection, and no other. Does nothing if it is watched already.
  void watch(pqServer* server);

  /// Whether a tick that is not the panel's own has begun and has not ended.
  bool isUnderway() const { return this->Underway; }

  /// Whether ParaView plays, or saves what it plays.
  bool isPlaying() const { return this->Playing; }

  /// While one exists, ticks handle no events.
  class Quiet
  {
  public:
    explicit Quiet(pqDSMSceneTicks& ticks)
      : Ticks(ticks)
    {
      ++this->Ticks.QuietCount;
    }
    ~Quiet() { --this->Ticks.QuietCount; }
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;

  private:
    pqDSMSceneTicks& Ticks;
  };

private:
  bool begin(vtkObject* scene, unsigned long event, void* info);
  bool end(vtkObject* scene, unsigned long event, void* info);
  void play() { this->Playing = true; }
  void stop() { this->Playing = false; }

  vtkWeakPointer<vtkObject> Scene;
  std::array<unsigned long, 4> Observers{};
  int QuietCount = 0;
  bool Underway = false;
  bool Playing = false;
};

#endif
