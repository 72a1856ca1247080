// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSceneTime.h"

#include <pqAnimationManager.h>
#include <pqAnimationScene.h>
#include <pqApplicationCore.h>
#include <pqPVApplicationCore.h>
#include <pqServerManagerModel.h>
#include <pqView.h>
#include <vtkSMAnimationSceneProxy.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMTimeKeeperProxy.h>

namespace
{
pqAnimationScene* Scene(pqServer* server)
{
  return pqPVApplicationCore::instance()->animationManager()->getScene(server);
}

// What gives the views their time.
vtkSMProxy* TimeKeeper(const pqAnimationScene* scene)
{
  return vtkSMPropertyHelper(scene->getProxy(), "TimeKeeper").GetAsProxy();
}
}

namespace pqDSMSceneTime
{
double get(pqServer* server)
{
  const auto* scene = server ? Scene(server) : nullptr;
  return scene ? scene->getAnimationTime() : 0;
}

void goTo(pqServer* server, double time)
{
  auto* scene = Scene(server);
  if (!scene)
  {
    return;
  }
  auto* proxy = scene->getProxy();
  auto* keeper = TimeKeeper(scene);
  if (keeper)
  {
    vtkSMTimeKeeperProxy::UpdateTimeInformation(keeper);
  }
  // The time before the scene's list of times: when the time that it shows is no longer in the
  // list, the scene goes to the first one, which is the oldest snapshot and the next to be dropped.
  if (scene->getAnimationTime() != time)
  {
    scene->setAnimationTime(time);
  }
  else
  {
    // The scene may have come to it since its range is another one; the views have not, then.
    if (keeper && vtkSMPropertyHelper(keeper, "Time").GetAsDouble() != time)
    {
      vtkSMPropertyHelper(keeper, "Time").Set(time);
      keeper->UpdateVTKObjects();
    }
    // Another file with the same time, perhaps of the next simulation. Now, not when the window has
    // time: what is shown then is asked next.
    auto* model = pqApplicationCore::instance()->getServerManagerModel();
    for (auto* view : model->findItems<pqView*>(server))
    {
      view->forceRender();
    }
  }
  vtkSMAnimationSceneProxy::UpdateAnimationUsingDataTimeSteps(proxy);
}

bool viewsAreElsewhere(pqServer* server)
{
  const auto* scene = Scene(server);
  auto* keeper = scene ? TimeKeeper(scene) : nullptr;
  return keeper && vtkSMPropertyHelper(keeper, "Time").GetAsDouble() != scene->getAnimationTime();
}

void takeTimes(pqServer* server)
{
  const auto* scene = server ? Scene(server) : nullptr;
  if (auto* keeper = scene ? TimeKeeper(scene) : nullptr)
  {
    vtkSMTimeKeeperProxy::UpdateTimeInformation(keeper);
  }
}

void stopPlaying(pqServer* server)
{
  if (auto* scene = server ? Scene(server) : nullptr)
  {
    scene->pause();
  }
}

pqAnimationScene* scene(pqServer* server)
{
  return server ? Scene(server) : nullptr;
}
}
