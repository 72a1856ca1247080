// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMReadAsWidget.h"

#include "pqDSMChoiceWidget.h"
#include "pqDSMText.h"

#include <vtkSMEnumerationDomain.h>
#include <vtkSMProperty.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMProxy.h>

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>

pqDSMReadAsWidget::pqDSMReadAsWidget(QWidget* parent)
  : Superclass(parent)
  , Kinds(new QComboBox(this))
{
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  auto* label = new QLabel(tr("Read as"), this);
  label->setBuddy(this->Kinds);
  row->addWidget(label);
  row->addWidget(this->Kinds, 1);
  this->Kinds->setObjectName("readAs");
  this->Kinds->setToolTip(
    pqDSMText::tip(tr("Choose how to read the file, if it was not recognized as what it is.")));
  QObject::connect(this->Kinds, &QComboBox::currentIndexChanged, this,
    [this](int index) { Q_EMIT this->chosen(this->Kinds->itemData(index).toString()); });
  this->hide();
}

void pqDSMReadAsWidget::show(vtkSMProxy* reader)
{
  auto* property = reader ? reader->GetProperty("ReadAs") : nullptr;
  auto* kinds = property ? property->FindDomain<vtkSMEnumerationDomain>() : nullptr;
  this->setVisible(kinds != nullptr);
  if (!kinds)
  {
    return;
  }
  const QSignalBlocker blocker(this->Kinds); // the value is the reader's, no choice
  if (this->Kinds->count() == 0)
  {
    pqDSMChoiceWidget::addEntries(this->Kinds, property);
  }
  this->Kinds->setCurrentIndex(this->Kinds->findData(vtkSMPropertyHelper(property).GetAsInt()));
}
