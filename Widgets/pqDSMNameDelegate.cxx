// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMNameDelegate.h"

#include <QApplication>
#include <QFileInfo>
#include <QRegularExpression>

QString pqDSMNameDelegate::shortened(const QString& name, const QFontMetrics& metrics, int width)
{
  static const QRegularExpression lastNumber(R"(\d+(?=\D*$))");
  const auto number = lastNumber.match(QFileInfo(name).completeBaseName());
  const QString tail =
    number.hasMatch() ? name.mid(number.capturedStart()) : "." + QFileInfo(name).suffix();
  const int left = width - metrics.horizontalAdvance(tail);
  // Less than a letter and the dots.
  if (left < metrics.horizontalAdvance("m…"))
  {
    return metrics.elidedText(name, Qt::ElideLeft, width);
  }
  return metrics.elidedText(name.chopped(tail.size()), Qt::ElideRight, left) + tail;
}

void pqDSMNameDelegate::initStyleOption(
  QStyleOptionViewItem* option, const QModelIndex& index) const
{
  Superclass::initStyleOption(option, index);
  auto* style = option->widget ? option->widget->style() : QApplication::style();
  const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, option, option->widget) + 1;
  // A style may take a little more for itself, and would shorten at the end.
  const int width = option->rect.width() - 2 * margin - 4;
  // Without a place it is about the size that the name would like.
  if (width > 0 && option->fontMetrics.horizontalAdvance(option->text) > width)
  {
    option->text = shortened(option->text, option->fontMetrics, width);
  }
}
