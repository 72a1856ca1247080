// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSettingsPage_h
#define pqDSMSettingsPage_h

#include <QScrollArea>

#include <vtkWeakPointer.h>

class pqProxyWidget;
class QCheckBox;
class QLabel;
class QVBoxLayout;
class vtkSMProxy;

/// The page "Settings": the server's properties, by widgets that ParaView makes of the XML.
class pqDSMSettingsPage : public QScrollArea
{
  Q_OBJECT
  using Superclass = QScrollArea;

public:
  explicit pqDSMSettingsPage(QWidget* parent);

  /// Null where there is none.
  void setProxy(vtkSMProxy* proxy);
  void show(bool running);

Q_SIGNALS:
  /// A setting was changed while the server runs; why it refused, or empty.
  void changed(const QString& refusal);

private:
  void apply();

  QVBoxLayout* Column;
  QLabel* Note;
  QLabel* Pending; ///< what was changed and does not count yet
  QCheckBox* Advanced;
  pqProxyWidget* Widgets = nullptr;
  bool Running = false;
  vtkWeakPointer<vtkSMProxy> Proxy;
};

#endif
