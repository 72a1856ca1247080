// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMInt64SpinBox_h
#define pqDSMInt64SpinBox_h

#include <QAbstractSpinBox>

/// A spin box for integers of 64 bits: QSpinBox has 32.
///
/// Numbers outside of its range can be typed: the simulation refuses them with a reason. Only the
/// arrows stop at the range.
class pqDSMInt64SpinBox : public QAbstractSpinBox
{
  Q_OBJECT
  using Superclass = QAbstractSpinBox;

public:
  pqDSMInt64SpinBox(qint64 minimum, qint64 maximum, QWidget* parent);

  QString text() const;
  /// 0 if the text is no number.
  qint64 value() const { return this->text().toLongLong(); }
  void setValue(qint64 value);

  void stepBy(int steps) override;
  QValidator::State validate(QString& text, int& position) const override;

Q_SIGNALS:
  void textChanged(const QString& text);

protected:
  StepEnabled stepEnabled() const override;

private:
  const qint64 Minimum;
  const qint64 Maximum;
};

#endif
