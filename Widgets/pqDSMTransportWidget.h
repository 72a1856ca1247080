// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMTransportWidget_h
#define pqDSMTransportWidget_h

#include "pqDSMEditWidget.h"

/// A transport: taken from the property's list or typed, since there are more providers and
/// combinations than a list can have. Whatever a state file, a script or the user has set is shown
/// as it is, and stays. The XML asks for it by panel_widget="dsm_transport"; a hint may name the
/// information property that says what the first entry of the list (left to the machine) comes to:
///
///     <Effective property="EffectiveTransport"/>
class pqDSMTransportWidget : public pqDSMEditWidget
{
  Q_OBJECT
  using Superclass = pqDSMEditWidget;

public:
  pqDSMTransportWidget(vtkSMProxy* proxy, vtkSMProperty* property, QWidget* parent = nullptr);

  QVariant value() const override { return this->Value; }
  void setValue(const QVariant& value) override;

private Q_SLOTS:
  void display();

private:
  void take() override;

  vtkSMProperty* Effective = nullptr; ///< of the same proxy
  QString Automatic;                  ///< the word for what is left to the machine
  QString Value;
};

#endif
