// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMChoiceWidget.h"

#include "pqDSMTerms.h"

#include <vtkSMEnumerationDomain.h>
#include <vtkSMProperty.h>

#include <QComboBox>
#include <QVBoxLayout>

namespace
{
// The role of an entry's text in the XML, which is what ParaView links with the property.
constexpr int TextRole = Qt::UserRole + 1;
}

pqDSMChoiceWidget::pqDSMChoiceWidget(vtkSMProxy* proxy, vtkSMProperty* property, QWidget* parent)
  : Superclass(proxy, parent)
  , ComboBox(new QComboBox(this))
{
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(this->ComboBox);
  this->ComboBox->setObjectName("ComboBox");
  addEntries(this->ComboBox, property);
  this->setChangeAvailableAsChangeFinished(true);
  QObject::connect(
    this->ComboBox, &QComboBox::currentIndexChanged, this, &pqDSMChoiceWidget::valueChanged);
  this->addPropertyLink(this, "value", SIGNAL(valueChanged()), property);
}

QVariant pqDSMChoiceWidget::value() const
{
  return this->ComboBox->currentData(TextRole);
}

void pqDSMChoiceWidget::setValue(const QVariant& value)
{
  this->ComboBox->setCurrentIndex(this->ComboBox->findData(value.toString(), TextRole));
}

void pqDSMChoiceWidget::addEntries(QComboBox* box, vtkSMProperty* property)
{
  auto* entries = property->FindDomain<vtkSMEnumerationDomain>();
  for (unsigned int index = 0; entries && index < entries->GetNumberOfEntries(); ++index)
  {
    const auto text = QString::fromUtf8(entries->GetEntryText(index));
    box->addItem(pqDSMTerms::shown(text, property), entries->GetEntryValue(index));
    box->setItemData(box->count() - 1, text, TextRole);
  }
}
