// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSizeWidget_h
#define pqDSMSizeWidget_h

#include <pqPropertyWidget.h>

#include <limits>

class QComboBox;
class QLabel;

/// A property that counts bytes, or something else in large numbers: typed freely ("1.5 GiB") or
/// taken from a list. The XML asks for it by panel_widget="dsm_size" and says how in a hint:
///
///     <Size unit="1048576" zero="automatic" presets="256 MiB;1 GiB"/>
///
/// The property counts in units of so many bytes (0: not bytes, plain numbers); 0 is shown as a
/// word. What is typed and makes no sense is said below the field, with what would.
class pqDSMSizeWidget : public pqPropertyWidget
{
  Q_OBJECT
  using Superclass = pqPropertyWidget;
  Q_PROPERTY(QVariant value READ value WRITE setValue NOTIFY valueChanged)

public:
  pqDSMSizeWidget(vtkSMProxy* proxy, vtkSMProperty* property, QWidget* parent = nullptr);
  ~pqDSMSizeWidget() override;

  QVariant value() const { return this->Value; }
  void setValue(const QVariant& value);

Q_SIGNALS:
  void valueChanged();

private:
  void take();
  QString form() const;
  QString text(qlonglong value) const;
  bool parse(const QString& text, qlonglong& value) const;

  QComboBox* Edit;
  QLabel* Problem;
  qlonglong Unit = 1;
  QString Zero;
  qlonglong Minimum = 0;
  qlonglong Maximum = std::numeric_limits<qlonglong>::max();
  qlonglong Value = 0;
};

#endif
