// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMWatchButton_h
#define pqDSMWatchButton_h

#include <QPointer>
#include <QToolButton>

#include <pqServer.h> // For QPointer to one

/// The button Watch, with a menu of the servers that were watched last.
class pqDSMWatchButton : public QToolButton
{
  Q_OBJECT
  using Superclass = QToolButton;

public:
  explicit pqDSMWatchButton(QWidget* parent);

  /// The connection whose servers the menu lists.
  void setServer(pqServer* server);

Q_SIGNALS:
  void watchRequested(const QString& contact);
  /// A contact file that the user still has to choose.
  void choiceRequested();

private:
  void fill();

  QPointer<pqServer> Server;
};

#endif
