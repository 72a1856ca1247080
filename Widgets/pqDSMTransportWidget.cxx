// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMTransportWidget.h"

#include <pqCoreUtilities.h>
#include <vtkCommand.h>
#include <vtkPVXMLElement.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMProxy.h>
#include <vtkSMStringListDomain.h>

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>

pqDSMTransportWidget::pqDSMTransportWidget(
  vtkSMProxy* proxy, vtkSMProperty* property, QWidget* parent)
  : Superclass(proxy, parent)
{
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(this->Edit);
  if (auto* list = property->FindDomain<vtkSMStringListDomain>())
  {
    for (unsigned int index = 0; index < list->GetNumberOfStrings(); ++index)
    {
      this->Edit->addItem(list->GetString(index));
    }
  }
  this->Automatic = this->Edit->itemText(0);
  auto* hints = property->GetHints();
  if (auto* hint = hints ? hints->FindNestedElementByName("Effective") : nullptr)
  {
    this->Effective = proxy->GetProperty(hint->GetAttributeOrDefault("property", ""));
  }
  if (this->Effective)
  {
    pqCoreUtilities::connect(this->Effective, vtkCommand::ModifiedEvent, this, SLOT(display()));
  }
  this->addPropertyLink(this, "value", SIGNAL(valueChanged()), property);
  this->display();
}

void pqDSMTransportWidget::setValue(const QVariant& value)
{
  this->Value = value.toString();
  this->display();
}

// "automatic (fabric/tcp)" stands for the word alone, as does an empty field.
void pqDSMTransportWidget::take()
{
  this->Edit->lineEdit()->setModified(false); // nobody types any more
  const QString given = this->Edit->currentText().trimmed();
  const QString value =
    given.isEmpty() || given.startsWith(this->Automatic + " (") ? this->Automatic : given;
  if (value != this->Value)
  {
    this->setValue(value);
    Q_EMIT this->valueChanged();
  }
  else
  {
    this->display();
  }
}

void pqDSMTransportWidget::display()
{
  const QString effective =
    this->Effective ? vtkSMPropertyHelper(this->Effective).GetAsString() : QString();
  // "auto" is no more than the word says: what is best is found for each simulation.
  const bool says = !effective.isEmpty() && effective.section(',', 0, 0) != "auto";
  const QString automatic = says ? tr("%1 (%2)").arg(this->Automatic, effective) : this->Automatic;
  const bool isAutomatic = this->Value.isEmpty() || this->Value == this->Automatic;
  const QString text = isAutomatic ? automatic : this->Value;
  // Not over what somebody types at this moment.
  if (!this->Edit->lineEdit()->isModified() || !this->Edit->lineEdit()->hasFocus())
  {
    // What is in force is what was left to the machine, only then.
    this->Edit->setItemText(0, isAutomatic ? automatic : this->Automatic);
    if (this->Edit->currentText() != text)
    {
      this->Edit->setEditText(text);
    }
  }
}
