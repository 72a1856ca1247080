// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMIntegerBox.h"

#include <QLineEdit>

#include <algorithm>

pqDSMIntegerBox::pqDSMIntegerBox(qint64 minimum, qint64 maximum, QWidget* parent)
  : Superclass(parent)
  , Minimum(minimum)
  , Maximum(maximum)
{
  QObject::connect(this->lineEdit(), &QLineEdit::textChanged, this, &pqDSMIntegerBox::textChanged);
}

QString pqDSMIntegerBox::text() const
{
  return this->lineEdit()->text();
}

void pqDSMIntegerBox::setValue(qint64 value)
{
  this->lineEdit()->setText(QString::number(value));
}

void pqDSMIntegerBox::stepBy(int steps)
{
  qint64 sum = 0;
  if (!__builtin_add_overflow(this->value(), static_cast<qint64>(steps), &sum))
  {
    this->setValue(std::clamp(sum, this->Minimum, this->Maximum));
  }
}

QValidator::State pqDSMIntegerBox::validate(QString& text, int&) const
{
  bool isNumber = false;
  text.toLongLong(&isNumber);
  return isNumber                   ? QValidator::Acceptable
    : text.isEmpty() || text == "-" ? QValidator::Intermediate
                                    : QValidator::Invalid;
}

QAbstractSpinBox::StepEnabled pqDSMIntegerBox::stepEnabled() const
{
  StepEnabled can = StepNone;
  can |= this->value() < this->Maximum ? StepUpEnabled : StepNone;
  can |= this->value() > this->Minimum ? StepDownEnabled : StepNone;
  return can;
}
