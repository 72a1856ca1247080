// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMHostChart.h"

#include "pqDSMText.h"

#include <QPainter>

#include <algorithm>
#include <numeric>

pqDSMHostChart::pqDSMHostChart(QWidget* parent)
  : Superclass(parent)
{
  this->setObjectName("hostChart");
  this->setToolTip(
    tr("How much of the newest file lies on each host: a bar for each, the first on the left. "
       "Hosts are the processes of ParaView's server, which lend the memory. Strategy in Settings "
       "decides how a file is spread over them"));
}

void pqDSMHostChart::show(const QVector<qint64>& bytes)
{
  if (bytes != this->Bytes)
  {
    this->Bytes = bytes;
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
  return { 200, 5 * this->fontMetrics().height() };
}

QSize pqDSMHostChart::minimumSizeHint() const
{
  return { 120, 4 * this->fontMetrics().height() };
}

void pqDSMHostChart::paintEvent(QPaintEvent*)
{
  QPainter painter(this);
  const auto& colours = this->palette();
  const int line = this->fontMetrics().height();
  const QRectF head(0, 0, this->width(), line);
  painter.setPen(colours.color(QPalette::WindowText));
  painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter, tr("Newest file on each host"));
  if (this->Bytes.empty())
  {
    painter.drawText(head, Qt::AlignRight | Qt::AlignVCenter, tr("no data yet"));
  }
  else
  {
    const qint64 all = std::accumulate(this->Bytes.begin(), this->Bytes.end(), qint64(0));
    painter.drawText(head, Qt::AlignRight | Qt::AlignVCenter, pqDSMText::bytes(all));
  }
  const QRectF area(0.5, line + 2.5, this->width() - 1, this->height() - line - 4);
  painter.setPen(colours.color(QPalette::Mid));
  painter.setBrush(colours.color(QPalette::Base));
  painter.drawRect(area);
  const qint64 most =
    this->Bytes.empty() ? 0 : *std::max_element(this->Bytes.begin(), this->Bytes.end());
  if (most <= 0)
  {
    return;
  }
  const QRectF inner = area.adjusted(3, 3, -3, -3);
  const double wide = inner.width() / static_cast<double>(this->Bytes.size());
  for (qsizetype host = 0; host < this->Bytes.size(); ++host)
  {
    const double high =
      inner.height() * static_cast<double>(this->Bytes[host]) / static_cast<double>(most);
    const double gap = wide > 4 ? 1.5 : 0;
    QRectF bar(inner.left() + wide * static_cast<double>(host) + gap, inner.bottom() - high,
      wide - 2 * gap, high);
    painter.fillRect(bar, colours.color(QPalette::Highlight));
    const QString text = pqDSMText::bytes(this->Bytes[host]);
    if (this->fontMetrics().horizontalAdvance(text) < wide - 6)
    {
      painter.setPen(colours.color(high > line ? QPalette::HighlightedText : QPalette::Text));
      painter.drawText(
        QRectF(bar.left(), inner.bottom() - line, bar.width(), line), Qt::AlignCenter, text);
    }
  }
}
