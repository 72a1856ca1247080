// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMPanel_h
#define pqDSMPanel_h

#include "pqDSMPythonStates.h"
#include "pqDSMServerPanel.h"

class pqDSMCatalystMenu;
class pqDSMExtracts;
class pqDSMFurtherPanels;
class pqDSMStartGuard;
class pqDSMTerms;

/// The dock "DSM", of the first server of the active connection, which it starts and stops or
/// watches. It has all that a window has once, however many servers it shows: the commands in
/// ParaView's menu, the docks of further servers, and what is done with files that are opened.
class pqDSMPanel : public pqDSMServerPanel
{
  Q_OBJECT
  using Superclass = pqDSMServerPanel;

public:
  explicit pqDSMPanel(QWidget* parent = nullptr, Qt::WindowFlags flags = {});
  ~pqDSMPanel() override;

  bool mayShow(const pqPipelineSource* reader) const override;

private:
  pqDSMPanel(const std::shared_ptr<pqDSMSharedTime>& time, QWidget* parent, Qt::WindowFlags flags);
  void connectMenu();
  void prepare();
  void chooseWatched();
  bool watch(const QString& contact);
  void chooseExtracts(bool wanted);
  void takeExtracts();
  void showCatalyst();
  void showEvent(QShowEvent* event) override;

  pqDSMStartGuard* StartGuard;
  pqDSMFurtherPanels* Further;
  pqDSMCatalystMenu* Catalyst;
  pqDSMExtracts* Extracts;
  pqDSMTerms* Terms;
  pqDSMPythonStates PythonStates;
  bool Prepared = false;
  bool Sized = false;
};

#endif
