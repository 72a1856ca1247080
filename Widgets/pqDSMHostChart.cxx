// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMHostChart.h"

#include "pqDSMText.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <numeric>

pqDSMHostChart::pqDSMHostChart(QWidget* parent)
  : Superclass(parent)
{
  this->setObjectName("hostChart");
  this->setMouseTracking(true);
  this->setToolTip(tr(
    "How much of the newest file lies on each host: a bar for each, with the rank of its process "
    "below and its share above. The dashed line is an even share. "
    "Hosts are the processes of ParaView's server, which lend the memory. Strategy in Settings "
    "decides how a file is spread over them"));
}

void pqDSMHostChart::show(const QVector<qint64>& bytes)
{
  if (bytes != this->Bytes)
  {
    this->Bytes = bytes;
    this->All = std::accumulate(bytes.begin(), bytes.end(), qint64(0));
    this->update();
  }
}

QVariantList pqDSMHostChart::bytes() const
{
  QVariantList bytes;
  for (const qint64 each : this->Bytes)
  {
    bytes.push_back(each);
  }
  return bytes;
}

QSize pqDSMHostChart::sizeHint() const
{
  return { 200, 6 * this->fontMetrics().height() };
}

QSize pqDSMHostChart::minimumSizeHint() const
{
  return { 120, 5 * this->fontMetrics().height() };
}

QString pqDSMHostChart::share(qsizetype host) const
{
  const double part = static_cast<double>(this->Bytes[host]) / static_cast<double>(this->All);
  return tr("%1 %").arg(100 * part, 0, 'f', part > 0 && part < 0.1 ? 1 : 0);
}

QString pqDSMHostChart::reading() const
{
  if (this->All <= 0)
  {
    return tr("no data yet");
  }
  const QRectF inner = this->area();
  if (!this->Mouse || *this->Mouse < inner.left() || *this->Mouse >= inner.right())
  {
    return pqDSMText::bytes(this->All);
  }
  const auto host = static_cast<qsizetype>(
    (*this->Mouse - inner.left()) / inner.width() * static_cast<double>(this->Bytes.size()));
  return tr("host %1: %2, %3")
    .arg(host)
    .arg(pqDSMText::bytes(this->Bytes[host]), this->share(host));
}

// As of the curves above it.
QRectF pqDSMHostChart::area() const
{
  const int line = this->fontMetrics().height();
  const double left = this->fontMetrics().horizontalAdvance("2.5e+07") + 6.5;
  return QRectF(left, line + 4.5, this->width() - left - 1, this->height() - 2 * line - 8);
}

// Numbers in the largest unit that fits, which stands below.
void pqDSMHostChart::paintAxis(QPainter& painter, const QRectF& inner, qint64 most) const
{
  const int line = this->fontMetrics().height();
  const QString top = pqDSMText::bytes(most);
  const QRectF left(0, 0, inner.left() - 3, line);
  painter.setPen(this->palette().color(QPalette::WindowText));
  painter.drawText(
    left.translated(0, inner.top() - 3), Qt::AlignRight | Qt::AlignVCenter, top.section(' ', 0, 0));
  painter.drawText(
    left.translated(0, inner.bottom() - line + 3), Qt::AlignRight | Qt::AlignVCenter, "0");
  painter.drawText(
    left.translated(0, inner.bottom() + 2), Qt::AlignRight | Qt::AlignVCenter, top.section(' ', 1));
  const double even = static_cast<double>(this->All) / static_cast<double>(this->Bytes.size());
  const double y = inner.bottom() - inner.height() * even / static_cast<double>(most);
  painter.setPen(QPen(this->palette().color(QPalette::Text), 1, Qt::DashLine));
  painter.drawLine(QPointF(inner.left(), y), QPointF(inner.right(), y));
}

void pqDSMHostChart::paintBar(
  QPainter& painter, qsizetype host, const QRectF& column, double high) const
{
  const auto& colours = this->palette();
  const int line = this->fontMetrics().height();
  const double gap = column.width() > 4 ? 1.5 : 0;
  const QRectF bar(column.left() + gap, column.bottom() - high, column.width() - 2 * gap, high);
  painter.fillRect(bar, colours.color(QPalette::Highlight));
  const QString text = this->share(host);
  if (this->fontMetrics().horizontalAdvance(text) < column.width() - 4)
  {
    painter.setPen(colours.color(high > line ? QPalette::HighlightedText : QPalette::Text));
    painter.drawText(
      QRectF(bar.left(), high > line ? bar.top() : bar.top() - line, bar.width(), line),
      Qt::AlignCenter, text);
  }
  const QString name = QString::number(host);
  if (this->fontMetrics().horizontalAdvance(name) < column.width() - 4)
  {
    painter.setPen(colours.color(QPalette::WindowText));
    painter.drawText(
      QRectF(column.left(), column.bottom() + 2, column.width(), line), Qt::AlignCenter, name);
  }
}

void pqDSMHostChart::paintEvent(QPaintEvent*)
{
  QPainter painter(this);
  const auto& colours = this->palette();
  const QRectF head(0, 0, this->width(), this->fontMetrics().height());
  painter.setPen(colours.color(QPalette::WindowText));
  painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter, tr("Newest file on each host"));
  painter.drawText(head, Qt::AlignRight | Qt::AlignVCenter, this->reading());
  const QRectF inner = this->area();
  painter.setPen(colours.color(QPalette::Mid));
  painter.setBrush(colours.color(QPalette::Base));
  painter.drawRect(inner);
  if (this->All <= 0)
  {
    return;
  }
  const qint64 most = *std::max_element(this->Bytes.begin(), this->Bytes.end());
  const double wide = inner.width() / static_cast<double>(this->Bytes.size());
  for (qsizetype host = 0; host < this->Bytes.size(); ++host)
  {
    this->paintBar(painter, host,
      QRectF(inner.left() + wide * static_cast<double>(host), inner.top(), wide, inner.height()),
      inner.height() * static_cast<double>(this->Bytes[host]) / static_cast<double>(most));
  }
  this->paintAxis(painter, inner, most);
}

void pqDSMHostChart::mouseMoveEvent(QMouseEvent* event)
{
  this->Mouse = event->pos().x();
  this->update();
}

void pqDSMHostChart::leaveEvent(QEvent* event)
{
  this->Mouse.reset();
  this->update();
  Superclass::leaveEvent(event);
}
