// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSizeWidget.h"

#include <vtkPVXMLElement.h>
#include <vtkSMProperty.h>

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QRegularExpression>

#include <cmath>

namespace
{
const QStringList Units = { "", "k", "m", "g", "t" };
}

pqDSMSizeWidget::pqDSMSizeWidget(vtkSMProxy* proxy, vtkSMProperty* property, QWidget* parent)
  : Superclass(proxy, parent)
  , Edit(new QComboBox(this))
{
  QStringList presets;
  auto* hints = property->GetHints();
  if (auto* hint = hints ? hints->FindNestedElementByName("Size") : nullptr)
  {
    this->Unit = QString(hint->GetAttributeOrDefault("unit", "1")).toLongLong();
    this->Zero = hint->GetAttributeOrDefault("zero", "");
    presets = QString(hint->GetAttributeOrDefault("presets", "")).split(';', Qt::SkipEmptyParts);
  }
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(this->Edit);
  this->Edit->setEditable(true);
  this->Edit->setInsertPolicy(QComboBox::NoInsert);
  this->Edit->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  this->Edit->setMinimumContentsLength(8);
  if (!this->Zero.isEmpty())
  {
    this->Edit->addItem(this->Zero);
  }
  this->Edit->addItems(presets);
  this->Edit->setEditText(this->text(0));
  this->setChangeAvailableAsChangeFinished(true);
  QObject::connect(
    this->Edit->lineEdit(), &QLineEdit::editingFinished, this, &pqDSMSizeWidget::take);
  QObject::connect(this->Edit, &QComboBox::textActivated, this, [this] { this->take(); });
  this->addPropertyLink(this, "value", SIGNAL(valueChanged()), property);
}

pqDSMSizeWidget::~pqDSMSizeWidget() = default;

void pqDSMSizeWidget::setValue(const QVariant& value)
{
  this->Value = value.toLongLong();
  this->Edit->setEditText(this->text(this->Value));
}

// What cannot be understood goes back to what it was.
void pqDSMSizeWidget::take()
{
  qlonglong value = this->Value;
  const bool understood = this->parse(this->Edit->currentText(), value);
  if (understood && value != this->Value)
  {
    this->setValue(value);
    Q_EMIT this->valueChanged();
  }
  else
  {
    this->setValue(this->Value);
  }
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
  // The largest unit in which it is a whole number: what is shown is what is set.
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

bool pqDSMSizeWidget::parse(const QString& text, qlonglong& value) const
{
  const QString given = text.trimmed().toLower();
  if (!this->Zero.isEmpty() && given == this->Zero.toLower())
  {
    value = 0;
    return true;
  }
  static const QRegularExpression form(R"(^(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b|bytes)?$)");
  const auto match = form.match(given);
  if (!match.hasMatch() || (this->Unit == 0 && !match.captured(2).isEmpty()))
  {
    return false;
  }
  const double number = match.captured(1).toDouble();
  const auto power = Units.indexOf(match.captured(2));
  value = this->Unit == 0 ? std::llround(number)
    // A number alone is of the property's own unit.
    : power == 0 && !given.contains('b')
    ? std::llround(number)
    : std::llround(
        number * std::pow(1024.0, static_cast<double>(power)) / static_cast<double>(this->Unit));
  return true;
}
