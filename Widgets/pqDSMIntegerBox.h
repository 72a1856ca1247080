// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMIntegerBox_h
#define pqDSMIntegerBox_h

#include <QAbstractSpinBox>

/// A spin box for whole numbers of 64 bits: QSpinBox has 32.
///
/// Takes numbers beyond its range too: the simulation says why it refuses them. Only its arrows
/// stop there.
class pqDSMIntegerBox : public QAbstractSpinBox
{
  Q_OBJECT
  using Superclass = QAbstractSpinBox;

public:
  pqDSMIntegerBox(qint64 minimum, qint64 maximum, QWidget* parent);

  QString text() const;
  /// Zero where the text is no number.
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
