// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSpread_h
#define pqDSMSpread_h

#include <QVariant>
#include <QVector>
#include <QWidget>

/// How many bytes of the newest snapshot lie on each host: a bar per host.
class pqDSMSpread : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;
  /// For tests.
  Q_PROPERTY(QVariantList bytes READ bytes)

public:
  explicit pqDSMSpread(QWidget* parent);

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
