// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSceneTicks.h"

#include "pqDSMSceneTime.h"

#include <pqAnimationScene.h>
#include <vtkCommand.h>
#include <vtkSMProxy.h>

#include <limits>

pqDSMSceneTicks::~pqDSMSceneTicks()
{
  this->watch(nullptr);
}

void pqDSMSceneTicks::watch(pqServer* server)
{
  auto* scene = pqDSMSceneTime::scene(server);
  auto* object =
    scene ? vtkObject::SafeDownCast(scene->getProxy()->GetClientSideObject()) : nullptr;
  if (object == this->Scene)
  {
    return;
  }
  if (this->Scene)
  {
    for (const unsigned long observer : this->Observers)
    {
      this->Scene->RemoveObserver(observer);
    }
  }
  this->Scene = object;
  this->Underway = false;
  this->Playing = false;
  if (object)
  {
    // ParaView's own observers, one of which handles events, are between these two.
    constexpr float First = std::numeric_limits<float>::max();
    constexpr auto event = vtkCommand::AnimationCueTickEvent;
    this->Observers = {
      object->AddObserver(event, this, &pqDSMSceneTicks::begin, First),
      object->AddObserver(event, this, &pqDSMSceneTicks::end, -First),
      object->AddObserver(vtkCommand::StartEvent, this, &pqDSMSceneTicks::play),
      object->AddObserver(vtkCommand::EndEvent, this, &pqDSMSceneTicks::stop),
    };
  }
}

// Returns true if ParaView's own observers are not to be called.
bool pqDSMSceneTicks::begin(vtkObject*, unsigned long, void*)
{
  const bool isQuiet = this->QuietCount > 0;
  this->Underway = !isQuiet;
  return isQuiet;
}

bool pqDSMSceneTicks::end(vtkObject*, unsigned long, void*)
{
  this->Underway = false;
  return false;
}
