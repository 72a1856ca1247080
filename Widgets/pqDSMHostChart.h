// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMHostChart_h
#define pqDSMHostChart_h

#include "pqDSMChart.h"

#include <QVariant>
#include <QVector>

/// A bar for the bytes of the newest snapshot on each host, beside what an even share is; under the
/// mouse, the host's bytes and share.
class pqDSMHostChart : public pqDSMChart
{
  Q_OBJECT
  using Superclass = pqDSMChart;
  /// For tests.
  Q_PROPERTY(QVariantList bytes READ bytes)

public:
  explicit pqDSMHostChart(QWidget* parent);

  void show(const QVector<qint64>& bytes);
  QVariantList bytes() const;

protected:
  bool isEmpty() const override { return this->All <= 0; }
  QString reading(std::optional<double> mouse) const override;
  void paintData(QPainter& painter, const QRectF& area, std::optional<double> mouse) const override;

private:
  QString share(qsizetype host) const;
  void paintBar(QPainter& painter, qsizetype host, const QRectF& column, double high) const;
  void paintAxis(QPainter& painter, const QRectF& area, qint64 most) const;

  QVector<qint64> Bytes;
  qint64 All = 0;
};

#endif
