// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMTickDelegate.h"

#include <QApplication>
#include <QPainter>

pqDSMTickDelegate::pqDSMTickDelegate(QObject* parent)
  : Superclass(parent)
{
}

void pqDSMTickDelegate::paint(
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
  QColor ink = full.palette.color(
    full.state & QStyle::State_Selected ? QPalette::HighlightedText : QPalette::Text);
  ink.setAlphaF(0.6F);
  painter->save();
  painter->setPen(ink);
  painter->setBrush(Qt::NoBrush);
  painter->drawRect(box.adjusted(0, 0, -1, -1));
  painter->restore();
}
