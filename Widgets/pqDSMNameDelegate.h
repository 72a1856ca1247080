// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMNameDelegate_h
#define pqDSMNameDelegate_h

#include <QStyledItemDelegate>

/// Draws the name of a file: one that is too long is shortened before its number, since that and
/// the extension tell files apart. "gray_scott.02900.vtkhdf" becomes "gray_…02900.vtkhdf".
class pqDSMNameDelegate : public QStyledItemDelegate
{
  Q_OBJECT
  using Superclass = QStyledItemDelegate;

public:
  using Superclass::Superclass;

  static QString shortened(const QString& name, const QFontMetrics& metrics, int width);

private:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

#endif
