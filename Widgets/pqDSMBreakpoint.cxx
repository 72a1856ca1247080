// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMBreakpoint.h"

#include "pqDSMText.h"

#include <pqOutputPort.h>
#include <pqPipelineSource.h>
#include <vtkDataObject.h>
#include <vtkPVArrayInformation.h>
#include <vtkPVDataInformation.h>
#include <vtkPVDataSetAttributesInformation.h>

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleValidator>
#include <QHBoxLayout>
#include <QLineEdit>

namespace
{
// Returns the ranges of all arrays, of vectors those of their magnitude.
QMap<QString, double> Ranges(pqPipelineSource* reader)
{
  QMap<QString, double> ranges;
  auto* data = reader ? reader->getOutputPort(0)->getDataInformation() : nullptr;
  for (const int association : { vtkDataObject::CELL, vtkDataObject::POINT })
  {
    auto* arrays = data ? data->GetAttributeInformation(association) : nullptr;
    for (int index = 0; arrays && index < arrays->GetNumberOfArrays(); ++index)
    {
      auto* array = arrays->GetArrayInformation(index);
      const double* range = array->GetComponentRange(array->GetNumberOfComponents() > 1 ? -1 : 0);
      ranges[pqDSMBreakpoint::tr("maximum of %1").arg(array->GetName())] = range[1];
      ranges[pqDSMBreakpoint::tr("minimum of %1").arg(array->GetName())] = range[0];
    }
  }
  return ranges;
}
}

pqDSMBreakpoint::pqDSMBreakpoint(QWidget* parent)
  : Superclass(parent)
  , Active(new QCheckBox(tr("Pause when"), this))
  , Quantity(new QComboBox(this))
  , Comparison(new QComboBox(this))
  , Limit(new QLineEdit(this))
{
  this->setObjectName("breakpoint");
  this->setToolTip(pqDSMText::tip(
    tr("Pause the simulation once, when this is so in the data shown, or in a value that it "
       "reports. It may have gone on for some steps by then.")));
  this->Active->setObjectName("active");
  this->Quantity->setObjectName("quantity");
  this->Quantity->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  this->Comparison->setObjectName("comparison");
  this->Comparison->addItems({ ">", "<" });
  this->Limit->setObjectName("limit");
  this->Limit->setValidator(new QDoubleValidator(this->Limit));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  row->addWidget(this->Active);
  row->addWidget(this->Quantity, 2);
  row->addWidget(this->Comparison);
  row->addWidget(this->Limit, 1);
}

void pqDSMBreakpoint::takeData(pqPipelineSource* reader)
{
  // ParaView's server is asked for the ranges.
  if (this->isVisible() || this->Active->isChecked())
  {
    this->take(Ranges(reader));
  }
}

// Adds the names to the choices, which all stay: those of another stream may come again. Then
// checks the condition.
void pqDSMBreakpoint::take(const QMap<QString, double>& values)
{
  for (const QString& name : values.keys())
  {
    if (this->Quantity->findText(name, Qt::MatchExactly) < 0)
    {
      this->Quantity->addItem(name);
    }
  }
  const QString name = this->Quantity->currentText();
  bool isNumber = false;
  const double limit = this->Limit->text().toDouble(&isNumber);
  if (!this->Active->isChecked() || !isNumber || !values.contains(name))
  {
    return;
  }
  const double value = values[name];
  const bool above = this->Comparison->currentIndex() == 0;
  if (above ? value > limit : value < limit)
  {
    this->Active->setChecked(false);
    Q_EMIT this->reached(tr("%1 is %2, which is %3 %4")
        .arg(name, QString::number(value, 'g', 6), above ? tr("above") : tr("below"),
          this->Limit->text()));
  }
}
