// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMStateLine_h
#define pqDSMStateLine_h

#include "pqDSMKeptOpen.h"
#include "pqDSMStatus.h"

#include <QColor>
#include <QWidget>

class pqDSMReservedLabel;
class QLabel;
class QToolButton;

/// The server's state: a coloured sign and its name. A text for another place explains it, or names
/// the simulations that are connected; if one keeps its file open, a button there shows files at
/// each flush.
class pqDSMStateLine : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;
  /// The state's name, for tests and screen readers.
  Q_PROPERTY(QString stateText READ stateText)

public:
  explicit pqDSMStateLine(QWidget* parent);

  QString stateText() const;

  /// Returns the text about the state, to be placed in a layout.
  QWidget* explanation() const { return this->Explanation; }

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

  void resizeEvent(QResizeEvent* event) override;
  void elideTitle();

  QLabel* Dot;
  QLabel* Title; ///< as much of StateText as there is room for
  QString StateText;
  QWidget* Explanation;
  pqDSMReservedLabel* Details;
  QToolButton* AtFlush;
  pqDSMKeptOpen KeptOpen;
};

#endif
