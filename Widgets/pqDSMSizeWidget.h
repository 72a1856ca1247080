// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSizeWidget_h
#define pqDSMSizeWidget_h

#include "pqDSMEditWidget.h"

#include <limits>

class QLabel;

/// A property that counts bytes, or something else in large numbers: typed freely ("1.5 GiB") or
/// taken from a list. The XML asks for it by panel_widget="dsm_size" and says how in a hint:
///
///     <Size unit="1048576" zero="automatic" presets="256 MiB;1 GiB"/>
///
/// The property counts in units of so many bytes (0: not bytes, plain numbers); 0 is shown as a
/// word. What is typed and makes no sense is said below the field, with what would.
class pqDSMSizeWidget : public pqDSMEditWidget
{
  Q_OBJECT
  using Superclass = pqDSMEditWidget;

public:
  pqDSMSizeWidget(vtkSMProxy* proxy, vtkSMProperty* property, QWidget* parent = nullptr);

  QVariant value() const override { return this->Value; }
  void setValue(const QVariant& value) override;

private:
  void take() override;
  QString form() const;
  QString text(qlonglong value) const;
  bool parse(const QString& text, qlonglong& value) const;

  QLabel* Problem;
  qlonglong Unit = 1;
  QString Zero;
  qlonglong Minimum = 0;
  qlonglong Maximum = std::numeric_limits<qlonglong>::max();
  qlonglong Value = 0;
};

#endif
