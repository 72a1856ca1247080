// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMChart.h"

#include <QMouseEvent>
#include <QPainter>

pqDSMChart::pqDSMChart(const QString& title, QWidget* parent)
  : Superclass(parent)
  , Title(title)
{
  this->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  this->setMouseTracking(true);
}

QSize pqDSMChart::sizeHint() const
{
  return { 200, 6 * this->fontMetrics().height() };
}

QSize pqDSMChart::minimumSizeHint() const
{
  return { 120, 5 * this->fontMetrics().height() };
}

QString pqDSMChart::reading() const
{
  return this->isEmpty() ? tr("no data yet") : this->reading(this->Mouse);
}

QRectF pqDSMChart::area() const
{
  const int line = this->fontMetrics().height();
  const double left = this->fontMetrics().horizontalAdvance("2.5e+07") + 6.5;
  return { left, line + 4.5, this->width() - left - 1, this->height() - 2. * line - 8 };
}

void pqDSMChart::paintEvent(QPaintEvent*)
{
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const auto& colours = this->palette();
  const QRectF head(0, 0, this->width(), this->fontMetrics().height());
  painter.setPen(colours.color(QPalette::WindowText));
  const QString reading = this->reading();
  painter.drawText(head, Qt::AlignRight | Qt::AlignVCenter, reading);
  const int room = this->width() - this->fontMetrics().horizontalAdvance(reading) - 8;
  painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter,
    this->fontMetrics().elidedText(this->Title, Qt::ElideRight, room));
  painter.setPen(colours.color(QPalette::Mid));
  painter.setBrush(colours.color(QPalette::Base));
  painter.drawRect(this->area());
  if (!this->isEmpty())
  {
    this->paintData(painter, this->area(), this->Mouse);
  }
}

void pqDSMChart::mouseMoveEvent(QMouseEvent* event)
{
  this->Mouse = event->pos().x();
  this->update();
}

void pqDSMChart::leaveEvent(QEvent* event)
{
  this->Mouse.reset();
  this->update();
  Superclass::leaveEvent(event);
}
