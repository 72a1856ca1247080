// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMBalloon.h"

#include <QAbstractScrollArea>

#include <algorithm>

namespace
{
// What scrolls with the field, or else its window.
QWidget* PageOf(QWidget* field)
{
  for (auto* page = field; page->parentWidget(); page = page->parentWidget())
  {
    auto* viewport = page->parentWidget();
    if (qobject_cast<QAbstractScrollArea*>(viewport->parentWidget()))
    {
      return page;
    }
  }
  return field->window();
}
}

pqDSMBalloon::pqDSMBalloon(QWidget* field)
  : Superclass(field)
  , Field(field)
{
  this->setWordWrap(true);
  this->setTextFormat(Qt::PlainText);
  this->setMargin(5);
  this->setFrameShape(QFrame::Box);
  this->setAutoFillBackground(true);
  this->setBackgroundRole(QPalette::ToolTipBase);
  this->setForegroundRole(QPalette::ToolTipText);
  this->setToolTip(tr("Click to hide this message"));
  this->hide();
}

void pqDSMBalloon::showText(const QString& text)
{
  this->setText(text);
  if (text.isEmpty())
  {
    this->hide();
    return;
  }
  // The page is known only when the field has its place in it.
  auto* page = PageOf(this->Field);
  if (this->parentWidget() != page)
  {
    this->setParent(page);
  }
  const QPoint corner = this->Field->mapTo(page, QPoint(0, 0));
  constexpr int gap = 2;
  const int width = page->width() - 2 * gap;
  const int height = this->heightForWidth(width);
  // Below, it would lie over the field that the user goes to next.
  const int above = corner.y() - height - gap;
  this->setGeometry(
    gap, above >= 0 ? above : corner.y() + this->Field->height() + gap, width, height);
  this->show();
  this->raise();
}

void pqDSMBalloon::mousePressEvent(QMouseEvent*)
{
  this->hide();
}
