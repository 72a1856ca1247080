// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMTransportWidget_h
#define pqDSMTransportWidget_h

#include <pqPropertyWidget.h>

class QComboBox;

/// A transport: taken from the property's list or typed, since there are more providers and
/// combinations than a list can have. Whatever a state file, a script or the user has set is shown
/// as it is, and stays. The XML asks for it by panel_widget="dsm_transport"; a hint may name the
/// information property that says what the first entry of the list (left to the machine) comes to:
///
///     <Effective property="EffectiveTransport"/>
class pqDSMTransportWidget : public pqPropertyWidget
{
  Q_OBJECT
  using Superclass = pqPropertyWidget;
  Q_PROPERTY(QVariant value READ value WRITE setValue NOTIFY valueChanged)

public:
  pqDSMTransportWidget(vtkSMProxy* proxy, vtkSMProperty* property, QWidget* parent = nullptr);
  ~pqDSMTransportWidget() override;

  QVariant value() const { return this->Value; }
  void setValue(const QVariant& value);

Q_SIGNALS:
  void valueChanged();

private Q_SLOTS:
  void display();

private:
  void take();

  QComboBox* Edit;
  vtkSMProperty* Effective = nullptr; ///< of the same proxy
  QString Automatic;                  ///< the word for what is left to the machine
  QString Value;
};

#endif
