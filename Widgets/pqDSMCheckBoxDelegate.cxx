// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMCheckBoxDelegate.h"

#include <QApplication>
#include <QPainter>

pqDSMCheckBoxDelegate::pqDSMCheckBoxDelegate(QObject* parent)
  : Superclass(parent)
{
}

void pqDSMCheckBoxDelegate::paint(
  QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
  Superclass::paint(painter, option, index);
  if (!index.data(Qt::CheckStateRole).isValid())
  {
    return;
  }
  QStyleOptionViewItem full(option);
  this->initStyleOption(&full, index);
  const auto* style = full.widget ? full.widget->style() : QApplication::style();
  const auto box = style->subElementRect(QStyle::SE_ItemViewItemCheckIndicator, &full, full.widget);
  QColor frame = full.palette.color(
    full.state & QStyle::State_Selected ? QPalette::HighlightedText : QPalette::Text);
  frame.setAlphaF(0.6F);
  painter->save();
  painter->setPen(frame);
  painter->setBrush(Qt::NoBrush);
  painter->drawRect(box.adjusted(0, 0, -1, -1));
  painter->restore();
}
