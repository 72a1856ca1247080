// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMStateLine_h
#define pqDSMStateLine_h

#include "pqDSMKeptOpen.h"
#include "pqDSMStatus.h"

#include <QColor>
#include <QWidget>

class pqDSMReservedLabel;
class QHBoxLayout;
class QLabel;
class QToolButton;

/// The server's state: a coloured sign, its name, and the simulations that are connected. If a
/// simulation keeps its file open, a button shows files at each flush.
class pqDSMStateLine : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;
  /// The state's name, for tests and screen readers.
  Q_PROPERTY(QString stateText READ stateText)

public:
  explicit pqDSMStateLine(QWidget* parent);

  QString stateText() const;

  /// Places a button beside the state's name.
  void addButton(QWidget* button);

  void show(const pqDSMStatus& status);
  /// For when there is no server.
  void show(const QString& state, const QString& explanation, bool isError);

Q_SIGNALS:
  /// Files are to be shown at each flush.
  void flushesRequested();

private:
  /// What stands before the title.
  enum class Sign
  {
    Dot,
    Half, ///< it waits
    Cross ///< something is lost
  };

  void display(
    const QColor& colour, const QString& title, const QString& details, Sign sign = Sign::Dot);
  void paint(const QColor& colour, Sign sign);
  void showReceiving(const pqDSMStatus& status);

  QLabel* Dot;
  QLabel* Title;
  pqDSMReservedLabel* Details;
  QToolButton* AtFlush;
  QHBoxLayout* Buttons = nullptr;
  pqDSMKeptOpen KeptOpen;
};

#endif
