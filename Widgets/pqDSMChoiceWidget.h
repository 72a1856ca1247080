// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMChoiceWidget_h
#define pqDSMChoiceWidget_h

#include <pqPropertyWidget.h>

class QComboBox;

/// The widget of a property with an EnumerationDomain whose entries have other words in the window
/// (pqDSMTerms): ParaView's own finds an entry by the text that is shown. The XML asks for it by
/// panel_widget="dsm_choice".
class pqDSMChoiceWidget : public pqPropertyWidget
{
  Q_OBJECT
  using Superclass = pqPropertyWidget;
  Q_PROPERTY(QVariant value READ value WRITE setValue NOTIFY valueChanged)

public:
  pqDSMChoiceWidget(vtkSMProxy* proxy, vtkSMProperty* property, QWidget* parent = nullptr);

  QVariant value() const;
  void setValue(const QVariant& value);

  /// Adds the entries of a property's EnumerationDomain, in the window's words, each with its value
  /// as the item's data.
  static void addEntries(QComboBox* box, vtkSMProperty* property);

Q_SIGNALS:
  void valueChanged();

private:
  QComboBox* ComboBox;
};

#endif
