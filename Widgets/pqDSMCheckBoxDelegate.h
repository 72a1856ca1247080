// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMCheckBoxDelegate_h
#define pqDSMCheckBoxDelegate_h

#include <QStyledItemDelegate>

/// Draws a frame around the check boxes of an item view: in dark themes Qt's own style draws
/// unchecked ones in the colour of the background.
class pqDSMCheckBoxDelegate : public QStyledItemDelegate
{
  Q_OBJECT
  using Superclass = QStyledItemDelegate;

public:
  explicit pqDSMCheckBoxDelegate(QObject* parent);

  void paint(
    QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

#endif
