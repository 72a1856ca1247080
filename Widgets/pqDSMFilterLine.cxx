// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMFilterLine.h"

#include "pqDSMText.h"

#include <QDoubleValidator>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>

namespace
{
std::optional<double> Value(const QLineEdit* field)
{
  bool isNumber = false;
  const double value = field->text().toDouble(&isNumber);
  return isNumber ? std::optional(value) : std::nullopt;
}
}

pqDSMFilterLine::pqDSMFilterLine(QWidget* parent)
  : Superclass(parent)
  , Text(new QLineEdit(this))
{
  this->setObjectName("filterLine");
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  this->Text->setObjectName("filterText");
  this->Text->setPlaceholderText(tr("Filter by stream or file"));
  this->Text->setToolTip(pqDSMText::tip(
    tr("List the snapshots whose stream or file name contains this text. * and ? stand for any "
       "characters and for one.")));
  this->Text->setClearButtonEnabled(true);
  row->addWidget(this->Text, 1);
  auto* label = new QLabel(tr("Time"), this);
  row->addWidget(label);
  this->From = this->addTime(
    { "filterFrom", tr("from"), tr("List the snapshots from this simulation time on (or step).") });
  this->To = this->addTime(
    { "filterTo", tr("to"), tr("List the snapshots up to this simulation time (or step).") });
  label->setBuddy(this->From);
  label->setToolTip(this->From->toolTip());
  for (auto* field : { this->Text, this->From, this->To })
  {
    QObject::connect(field, &QLineEdit::textChanged, this, &pqDSMFilterLine::announce);
  }
}

QLineEdit* pqDSMFilterLine::addTime(const Field& wanted)
{
  auto* field = new QLineEdit(this);
  field->setObjectName(wanted.Name);
  field->setPlaceholderText(wanted.Hint);
  field->setToolTip(pqDSMText::tip(wanted.Tip));
  field->setFixedWidth(8 * this->fontMetrics().averageCharWidth());
  auto* validator = new QDoubleValidator(field);
  validator->setLocale(QLocale::c());
  field->setValidator(validator);
  this->layout()->addWidget(field);
  return field;
}

void pqDSMFilterLine::announce()
{
  Q_EMIT this->changed({ this->Text->text().trimmed(), Value(this->From), Value(this->To) });
}
