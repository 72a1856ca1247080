// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMComboBoxWidget.h"

#include <QComboBox>
#include <QLineEdit>

pqDSMComboBoxWidget::pqDSMComboBoxWidget(vtkSMProxy* proxy, QWidget* parent)
  : Superclass(proxy, parent)
  , ComboBox(new QComboBox(this))
{
  this->ComboBox->setEditable(true);
  this->ComboBox->setInsertPolicy(QComboBox::NoInsert);
  this->ComboBox->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  this->ComboBox->setMinimumContentsLength(8);
  this->setChangeAvailableAsChangeFinished(true);
  QObject::connect(this->ComboBox->lineEdit(), &QLineEdit::editingFinished, this,
    &pqDSMComboBoxWidget::finishEdit);
  QObject::connect(
    this->ComboBox, &QComboBox::textActivated, this, &pqDSMComboBoxWidget::finishEdit);
}
