// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMTransportWidget.h"

#include "pqDSMTerms.h"

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
  row->addWidget(this->ComboBox);
  if (auto* list = property->FindDomain<vtkSMStringListDomain>())
  {
    for (unsigned int index = 0; index < list->GetNumberOfStrings(); ++index)
    {
      this->ComboBox->addItem(list->GetString(index));
    }
  }
  this->Automatic = this->ComboBox->itemText(0);
  this->AutomaticText = pqDSMTerms::shown(this->Automatic, property);
  this->ComboBox->setItemText(0, this->AutomaticText);
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

// "automatic (fabric/tcp)" means "automatic", as does an empty field.
void pqDSMTransportWidget::finishEdit()
{
  this->ComboBox->lineEdit()->setModified(false); // the edit is finished
  const QString given = this->ComboBox->currentText().trimmed();
  const QString value =
    given.isEmpty() || given == this->AutomaticText || given.startsWith(this->AutomaticText + " (")
    ? this->Automatic
    : given;
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
  // "automatic" is chosen for each simulation: there is nothing more to show.
  const bool isKnown = !effective.isEmpty() && effective.section(',', 0, 0) != "automatic";
  const QString automatic =
    isKnown ? tr("%1 (%2)").arg(this->AutomaticText, effective) : this->AutomaticText;
  const bool isAutomatic = this->Value.isEmpty() || this->Value == this->Automatic;
  const QString text = isAutomatic ? automatic : this->Value;
  // Not while the user types.
  if (!this->ComboBox->lineEdit()->isModified() || !this->ComboBox->lineEdit()->hasFocus())
  {
    // The transport in force is the automatic one only if that was chosen.
    this->ComboBox->setItemText(0, isAutomatic ? automatic : this->AutomaticText);
    if (this->ComboBox->currentText() != text)
    {
      this->ComboBox->setEditText(text);
    }
  }
}
