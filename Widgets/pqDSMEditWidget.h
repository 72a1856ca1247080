// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMEditWidget_h
#define pqDSMEditWidget_h

#include <pqPropertyWidget.h>

class QComboBox;

/// A property that is typed, or taken from a list of what is usual.
class pqDSMEditWidget : public pqPropertyWidget
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
  pqDSMEditWidget(vtkSMProxy* proxy, QWidget* parent);

  /// Somebody has typed or chosen something: shows it as it counts now, and tells of a change.
  virtual void take() = 0;

  QComboBox* const Edit;
};

#endif
