// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMComboBoxWidget_h
#define pqDSMComboBoxWidget_h

#include <pqPropertyWidget.h>

class QComboBox;

/// A property widget with an editable combo box: a value is typed, or chosen from a list.
class pqDSMComboBoxWidget : public pqPropertyWidget
{
  Q_OBJECT
  using Superclass = pqPropertyWidget;
  Q_PROPERTY(QVariant value READ value WRITE setValue NOTIFY valueChanged)

public:
  virtual QVariant value() const = 0;
  virtual void setValue(const QVariant& value) = 0;

Q_SIGNALS:
  void valueChanged();

protected:
  pqDSMComboBoxWidget(vtkSMProxy* proxy, QWidget* parent);

  /// The user has finished an edit: sets the value, shows it in its usual form, and emits
  /// valueChanged() if it is another one.
  virtual void finishEdit() = 0;

  QComboBox* const ComboBox;
};

#endif
