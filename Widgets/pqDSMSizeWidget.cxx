// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSizeWidget.h"

#include "pqDSMBalloon.h"

#include <vtkPVXMLElement.h>
#include <vtkSMIntRangeDomain.h>
#include <vtkSMIntVectorProperty.h>
#include <vtkSMProperty.h>
#include <vtkSMProxy.h>

#include <QComboBox>
#include <QRegularExpression>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>

namespace
{
const QStringList Units = { "", "k", "m", "g", "t" };
}

pqDSMSizeWidget::pqDSMSizeWidget(vtkSMProxy* proxy, vtkSMProperty* property, QWidget* parent)
  : Superclass(proxy, parent)
  , Rejection(new pqDSMBalloon(this))
{
  QStringList presets;
  auto* hints = property->GetHints();
  if (auto* hint = hints ? hints->FindNestedElementByName("Size") : nullptr)
  {
    this->Unit = QString(hint->GetAttributeOrDefault("unit", "1")).toLongLong();
    this->Zero = hint->GetAttributeOrDefault("zero", "");
    presets = QString(hint->GetAttributeOrDefault("presets", "")).split(';', Qt::SkipEmptyParts);
  }
  if (auto* range = property->FindDomain<vtkSMIntRangeDomain>())
  {
    int exists = 0;
    const int minimum = range->GetMinimum(0, exists);
    this->Minimum = exists ? minimum : 0;
  }
  if (vtkSMIntVectorProperty::SafeDownCast(property))
  {
    this->Maximum = std::numeric_limits<int>::max();
  }
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(this->ComboBox);
  this->Rejection->setObjectName(QString("rejection of ") + proxy->GetPropertyName(property));
  if (!this->Zero.isEmpty())
  {
    this->ComboBox->addItem(this->Zero);
  }
  this->ComboBox->addItems(presets);
  this->ComboBox->setEditText(this->text(0));
  this->addPropertyLink(this, "value", SIGNAL(valueChanged()), property);
}

pqDSMSizeWidget::~pqDSMSizeWidget()
{
  // It is the page's by now.
  delete this->Rejection;
}

void pqDSMSizeWidget::setValue(const QVariant& value)
{
  this->Value = value.toLongLong();
  this->ComboBox->setEditText(this->text(this->Value));
}

// After an entry that is not understood, or out of range, the field shows the value again, with the
// reason beside it until the next entry.
void pqDSMSizeWidget::finishEdit()
{
  const QString given = this->ComboBox->currentText().trimmed();
  if (given == this->text(this->Value))
  {
    return; // not edited
  }
  qlonglong value = this->Value;
  QString rejection = this->parse(given, value);
  if (rejection.isEmpty() && value < this->Minimum)
  {
    rejection = tooSmall(given, this->text(this->Minimum));
  }
  else if (rejection.isEmpty() && value > this->Maximum)
  {
    rejection = this->tooLarge(given);
  }
  this->Rejection->showText(rejection);
  const bool changed = rejection.isEmpty() && value != this->Value;
  this->setValue(changed ? value : this->Value);
  if (changed)
  {
    Q_EMIT this->valueChanged();
  }
}

QString pqDSMSizeWidget::tooSmall(const QString& given, const QString& minimum)
{
  return tr("%1 is too small (minimum %2)").arg(given, minimum);
}

QString pqDSMSizeWidget::tooLarge(const QString& given) const
{
  const bool isSize =
    this->Maximum <= std::numeric_limits<qlonglong>::max() / std::max(this->Unit, 1LL);
  return isSize ? tr("%1 is too large (maximum %2)").arg(given, this->text(this->Maximum))
                : tr("%1 is too large").arg(given);
}

// For a text that is no value of this kind.
QString pqDSMSizeWidget::rejection(const QString& given) const
{
  bool number = false;
  given.toDouble(&number);
  if (number && this->Unit != 0 && !given.startsWith('-'))
  {
    return tr("Add a unit, e.g. 64 MiB");
  }
  const QString other = this->Zero.isEmpty() ? QString() : tr(", or \"%1\"").arg(this->Zero);
  return (this->Unit == 0 ? tr("\"%1\" is not a whole number. Enter a number of 0 or more%2")
                          : tr("\"%1\" is not a size. Enter a size such as 64 MiB%2"))
    .arg(given, other);
}

QString pqDSMSizeWidget::text(qlonglong value) const
{
  if (value == 0 && !this->Zero.isEmpty())
  {
    return this->Zero;
  }
  if (this->Unit == 0)
  {
    return QString::number(value);
  }
  // In the largest unit in which it is a whole number, so that it is exact.
  qlonglong bytes = value * this->Unit;
  int unit = 0;
  while (bytes != 0 && bytes % 1024 == 0 && unit + 1 < Units.size())
  {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? tr("%1 bytes").arg(bytes)
                   : QString("%1 %2iB").arg(bytes).arg(Units[unit].toUpper());
}

QString pqDSMSizeWidget::parse(const QString& text, qlonglong& value) const
{
  const QString given = text.toLower();
  if (!this->Zero.isEmpty() && given == this->Zero.toLower())
  {
    value = 0;
    return {};
  }
  bool whole = false;
  if (const qlonglong number = given.toLongLong(&whole);
    whole && (number == 0 || (number > 0 && this->Unit == 0)))
  {
    value = number;
    return {};
  }
  static const QRegularExpression form(R"(^(\d+(?:\.\d+)?)\s*(?:([kmgt])(?:i?b)?|b|bytes?)$)");
  const auto match = form.match(given);
  if (!match.hasMatch() || this->Unit == 0)
  {
    return this->rejection(text);
  }
  const double number = match.captured(1).toDouble();
  const auto power = Units.indexOf(match.captured(2));
  const double units =
    number * std::pow(1024.0, static_cast<double>(power)) / static_cast<double>(this->Unit);
  if (units > static_cast<double>(std::numeric_limits<qlonglong>::max()) / 2)
  {
    return this->tooLarge(text);
  }
  // Rounded to 0 it would mean what 0 stands for.
  if (number > 0 && std::llround(units) == 0)
  {
    return tooSmall(text, this->text(1));
  }
  value = std::llround(units);
  return {};
}
