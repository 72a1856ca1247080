// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMEditWidget.h"

#include <QComboBox>
#include <QLineEdit>

pqDSMEditWidget::pqDSMEditWidget(vtkSMProxy* proxy, QWidget* parent)
  : Superclass(proxy, parent)
  , Edit(new QComboBox(this))
{
  this->Edit->setEditable(true);
  this->Edit->setInsertPolicy(QComboBox::NoInsert);
  this->Edit->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  this->Edit->setMinimumContentsLength(8);
  this->setChangeAvailableAsChangeFinished(true);
  QObject::connect(
    this->Edit->lineEdit(), &QLineEdit::editingFinished, this, &pqDSMEditWidget::take);
  QObject::connect(this->Edit, &QComboBox::textActivated, this, &pqDSMEditWidget::take);
}
