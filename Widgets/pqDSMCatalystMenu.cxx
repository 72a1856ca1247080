// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMCatalystMenu.h"

#include <pqCoreUtilities.h>

#include <QAction>
#include <QInputDialog>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>

#include <limits>

pqDSMCatalystMenu::pqDSMCatalystMenu(QObject* parent)
  : Superclass(parent)
{
}

void pqDSMCatalystMenu::install()
{
  auto* window = qobject_cast<QMainWindow*>(pqCoreUtilities::mainWidget());
  QMenu* menu = nullptr;
  for (auto* action : window ? window->menuBar()->actions() : QList<QAction*>())
  {
    menu = action->text().remove('&') == "Catalyst" ? action->menu() : menu;
  }
  if (!menu || this->Start)
  {
    return;
  }
  menu->addSection(tr("DSM"));
  this->Start = this->add(menu, tr("Host DSM Server"), "dsmStart",
    tr("Share memory with simulations, as Start in the panel does."));
  this->Watch = this->add(menu, tr("Watch DSM Server…"), "dsmWatch",
    tr("Show the snapshots of a server that another program has started."));
  this->Pause = this->add(
    menu, tr("Pause DSM Simulation"), "dsmPause", tr("Pause the simulation at its next step."));
  this->PauseAt = this->add(menu, tr("Pause DSM Simulation at Step…"), "dsmPauseAt",
    tr("Pause the simulation at a step, or now if that has passed."));
  this->Resume =
    this->add(menu, tr("Resume DSM Simulation"), "dsmResume", tr("Let the simulation go on."));
  this->Steer = this->add(menu, tr("Steer DSM Simulation"), "dsmSteer",
    tr("Show the parameters of the running simulation."));
  this->Extracts = this->add(menu, tr("Save Extracts of DSM Snapshots…"), "dsmExtracts",
    tr("Run the extractors of the pipeline for each snapshot that is shown."));
  this->Extracts->setCheckable(true);
  QObject::connect(this->Start, &QAction::triggered, this, &pqDSMCatalystMenu::startRequested);
  QObject::connect(this->Watch, &QAction::triggered, this, &pqDSMCatalystMenu::watchRequested);
  QObject::connect(
    this->Pause, &QAction::triggered, this, [this] { Q_EMIT this->commanded("pause", 0); });
  QObject::connect(this->PauseAt, &QAction::triggered, this, &pqDSMCatalystMenu::askForStep);
  QObject::connect(
    this->Resume, &QAction::triggered, this, [this] { Q_EMIT this->commanded("resume", 0); });
  QObject::connect(this->Steer, &QAction::triggered, this, &pqDSMCatalystMenu::steeringRequested);
  QObject::connect(
    this->Extracts, &QAction::triggered, this, &pqDSMCatalystMenu::extractsRequested);
  this->show({});
}

QAction* pqDSMCatalystMenu::add(
  QMenu* menu, const QString& text, const char* name, const QString& tip)
{
  auto* action = menu->addAction(text);
  action->setObjectName(name);
  action->setStatusTip(tip);
  return action;
}

void pqDSMCatalystMenu::show(const State& state)
{
  if (this->Start)
  {
    this->Start->setEnabled(state.HasProxy && !state.Running);
    this->Watch->setEnabled(state.HasProxy);
    this->Pause->setEnabled(state.HasSimulation && !state.Paused);
    this->PauseAt->setEnabled(state.HasSimulation);
    this->Resume->setEnabled(state.HasSimulation && state.Paused);
    this->Extracts->setChecked(state.Extracts);
  }
}

void pqDSMCatalystMenu::askForStep()
{
  auto* dialog = new QInputDialog(pqCoreUtilities::mainWidget());
  dialog->setObjectName("dsmPauseStep");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setInputMode(QInputDialog::IntInput);
  dialog->setIntRange(1, std::numeric_limits<int>::max());
  dialog->setWindowTitle(tr("Pause Simulation"));
  dialog->setLabelText(tr("Step at which to pause:"));
  QObject::connect(dialog, &QInputDialog::intValueSelected, this,
    [this](int step) { Q_EMIT this->commanded("pause at", step); });
  dialog->open();
}
