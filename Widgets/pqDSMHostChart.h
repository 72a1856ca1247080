// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMHostChart_h
#define pqDSMHostChart_h

#include <QVariant>
#include <QVector>
#include <QWidget>

/// A bar chart of the bytes of the newest snapshot on each host.
class pqDSMHostChart : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;
  /// For tests.
  Q_PROPERTY(QVariantList bytes READ bytes)

public:
  explicit pqDSMHostChart(QWidget* parent);

  void show(const QVector<qint64>& bytes);
  QVariantList bytes() const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  QVector<qint64> Bytes;
};

#endif
