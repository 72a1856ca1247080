// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMHostChart_h
#define pqDSMHostChart_h

#include <QVariant>
#include <QVector>
#include <QWidget>

#include <optional>

/// A bar for the bytes of the newest snapshot on each host, beside what an even share is; under the
/// mouse, the host's bytes and share.
class pqDSMHostChart : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;
  /// For tests.
  Q_PROPERTY(QVariantList bytes READ bytes)
  Q_PROPERTY(QString reading READ reading)

public:
  explicit pqDSMHostChart(QWidget* parent);

  void show(const QVector<qint64>& bytes);
  QVariantList bytes() const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

private:
  QString reading() const;
  QRectF area() const;
  QString share(qsizetype host) const;
  void paintBar(QPainter& painter, qsizetype host, const QRectF& column, double high) const;
  void paintAxis(QPainter& painter, const QRectF& inner, qint64 most) const;

  QVector<qint64> Bytes;
  qint64 All = 0;
  std::optional<double> Mouse; ///< where it is, across
};

#endif
