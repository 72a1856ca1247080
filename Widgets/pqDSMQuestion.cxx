// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMQuestion.h"

#include <QPushButton>

pqDSMQuestion::pqDSMQuestion(const QString& name, const QString& title, const QString& text,
  const QString& cancelTip, QWidget* parent)
  : Superclass(QMessageBox::Warning, title, text, QMessageBox::Cancel, parent)
{
  this->setObjectName(name);
  this->setAttribute(Qt::WA_DeleteOnClose);
  this->setTextFormat(Qt::PlainText);
  this->setDefaultButton(QMessageBox::Cancel);
  auto* cancel = this->button(QMessageBox::Cancel);
  cancel->setObjectName("cancel");
  cancel->setToolTip(cancelTip);
}

QPushButton* pqDSMQuestion::addAnswer(const Answer& answer)
{
  auto* button = this->addButton(answer.Text, answer.Role);
  button->setObjectName(answer.Name);
  button->setToolTip(answer.Tip);
  return button;
}
