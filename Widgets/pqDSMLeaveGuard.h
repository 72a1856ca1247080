// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMLeaveGuard_h
#define pqDSMLeaveGuard_h

#include <QObject>
#include <QPointer>

#include <functional>

class pqDSMServerProxy;
class QAction;
class QMessageBox;
class QWidget;

/// Asks before memory goes away that somebody needs: a simulation is connected, or snapshots are
/// nowhere else. That is when the user stops hosting, closes the window or exits, disconnects,
/// connects elsewhere, or resets the session. The answers are to keep the memory, where it is in
/// processes of its own, to save the snapshots first, to let go, and Cancel.
///
/// What the user wanted is refused at first, and done after the answer: the question needs no event
/// loop of its own, and the window follows the simulation meanwhile. Scripts are not asked: they
/// use neither the window nor its actions.
class pqDSMLeaveGuard : public QObject
{
  Q_OBJECT
  using Superclass = QObject;

public:
  /// Questions are children of `panel`.
  pqDSMLeaveGuard(pqDSMServerProxy* server, QWidget* panel);

  /// Stops the server, if the user agrees.
  void stop();

  /// Watches the window and its actions from now on. When ParaView has made them.
  void watchWindow();

private:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void watch(QAction* action, QObject* reaction);
  bool mustAsk() const;
  void ask(const QString& what, const std::function<void()>& goOn);
  void saveAndLetGo(const std::function<void()>& goOn);
  void letGo(const std::function<void()>& goOn);

  pqDSMServerProxy* Server;
  QWidget* Panel;
  QPointer<QWidget> Window;
  QPointer<QMessageBox> Question;
  bool MayClose = false;
};

#endif
