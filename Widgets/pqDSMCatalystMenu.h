// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMCatalystMenu_h
#define pqDSMCatalystMenu_h

#include <QObject>

class QAction;
class QMenu;

/// The panel's commands in ParaView's menu Catalyst, where users of Catalyst look for them.
class pqDSMCatalystMenu : public QObject
{
  Q_OBJECT
  using Superclass = QObject;

public:
  explicit pqDSMCatalystMenu(QObject* parent);

  /// Adds the commands to the menu, if ParaView has it. When ParaView has made its window.
  void install();

  /// Says which commands are possible now.
  struct State
  {
    bool HasProxy = false;      ///< ParaView's server has the plugin
    bool Running = false;       ///< the first server is started, or watched
    bool HasSimulation = false; ///< one that can be steered is connected
    bool Paused = false;
    bool Extracts = false; ///< are saved
  };
  void show(const State& state);

Q_SIGNALS:
  void startRequested();
  void watchRequested();
  /// A command of the simulation, with its argument; 0: it has none.
  void commanded(const QString& name, int count);
  void steeringRequested();
  /// Extractors are to run for each snapshot, or no more.
  void extractsRequested(bool wanted);

private:
  QAction* add(QMenu* menu, const QString& text, const char* name, const QString& tip);
  void askForStep();

  QAction* Start = nullptr;
  QAction* Watch = nullptr;
  QAction* Pause = nullptr;
  QAction* PauseAt = nullptr;
  QAction* Resume = nullptr;
  QAction* Steer = nullptr;
  QAction* Extracts = nullptr;
};

#endif
