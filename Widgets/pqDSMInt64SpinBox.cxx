// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMInt64SpinBox.h"

#include <QLineEdit>

#include <algorithm>

pqDSMInt64SpinBox::pqDSMInt64SpinBox(qint64 minimum, qint64 maximum, QWidget* parent)
  : Superclass(parent)
  , Minimum(minimum)
  , Maximum(maximum)
{
  QObject::connect(
    this->lineEdit(), &QLineEdit::textChanged, this, &pqDSMInt64SpinBox::textChanged);
}

QString pqDSMInt64SpinBox::text() const
{
  return this->lineEdit()->text();
}

void pqDSMInt64SpinBox::setValue(qint64 value)
{
  this->lineEdit()->setText(QString::number(value));
}

void pqDSMInt64SpinBox::stepBy(int steps)
{
  qint64 sum = 0;
  if (!__builtin_add_overflow(this->value(), static_cast<qint64>(steps), &sum))
  {
    this->setValue(std::clamp(sum, this->Minimum, this->Maximum));
  }
}

QValidator::State pqDSMInt64SpinBox::validate(QString& text, int&) const
{
  bool isNumber = false;
  text.toLongLong(&isNumber);
  return isNumber                   ? QValidator::Acceptable
    : text.isEmpty() || text == "-" ? QValidator::Intermediate
                                    : QValidator::Invalid;
}

QAbstractSpinBox::StepEnabled pqDSMInt64SpinBox::stepEnabled() const
{
  StepEnabled can = StepNone;
  can |= this->value() < this->Maximum ? StepUpEnabled : StepNone;
  can |= this->value() > this->Minimum ? StepDownEnabled : StepNone;
  return can;
}
