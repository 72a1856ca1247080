// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMTransportWidget_h
#define pqDSMTransportWidget_h

#include "pqDSMComboBoxWidget.h"

/// The widget of a transport: chosen from the property's list, or typed, since there are more
/// providers and combinations than a list can have. A value that a state file or a script has set
/// is shown as it is. The XML asks for it by panel_widget="dsm_transport"; a hint may name the
/// information property with the transport that the first entry of the list, the automatic choice,
/// results in:
///
///     <Effective property="EffectiveTransport"/>
///
/// Hints of pqDSMTerms can name that entry otherwise.
class pqDSMTransportWidget : public pqDSMComboBoxWidget
{
  Q_OBJECT
  using Superclass = pqDSMComboBoxWidget;

public:
  pqDSMTransportWidget(vtkSMProxy* proxy, vtkSMProperty* property, QWidget* parent = nullptr);

  QVariant value() const override { return this->Value; }
  void setValue(const QVariant& value) override;

private Q_SLOTS:
  void display();

private:
  void finishEdit() override;

  vtkSMProperty* Effective = nullptr; ///< of the same proxy
  QString Automatic;                  ///< the value of the automatic choice
  QString AutomaticText;              ///< the word for it in the window
  QString Value;
};

#endif
