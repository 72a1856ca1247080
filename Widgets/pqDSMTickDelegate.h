// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMTickDelegate_h
#define pqDSMTickDelegate_h

#include <QStyledItemDelegate>

/// Draws a frame around the boxes that one ticks in a list: in dark themes Qt's own style draws
/// those that are not ticked in the colour of what is behind them.
class pqDSMTickDelegate : public QStyledItemDelegate
{
  Q_OBJECT
  using Superclass = QStyledItemDelegate;

public:
  explicit pqDSMTickDelegate(QObject* parent);

  void paint(
    QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

#endif
