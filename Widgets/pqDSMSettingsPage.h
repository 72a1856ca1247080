// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSettingsPage_h
#define pqDSMSettingsPage_h

#include "pqDSMStatus.h"

#include <QMap>
#include <QPointer>
#include <QScrollArea>

#include <vtkWeakPointer.h>

#include <functional>
#include <optional>

class pqProxyWidget;
class QCheckBox;
class pqDSMReservedLabel;
class QMessageBox;
class QVBoxLayout;
class vtkSMProxy;

/// The page "Settings": the server's settings, in the widgets that ParaView makes from the XML.
class pqDSMSettingsPage : public QScrollArea
{
  Q_OBJECT
  using Superclass = QScrollArea;

public:
  explicit pqDSMSettingsPage(QWidget* parent);

  /// May be null.
  void setProxy(vtkSMProxy* proxy);
  void show(const pqDSMStatus& status);

  /// Sets Show Files so that files are shown also at each flush, as the user would on this page.
  void showFlushes();

  /// While the panel polls, when nothing becomes an undo entry but events may be handled, changes
  /// of the user wait in their fields; then they are applied.
  void setPolling(bool polling);

Q_SIGNALS:
  /// A setting was changed. The reason why it was refused, if that does not stand beside its field.
  void changed(const QString& refusal);

private:
  void apply();
  void applyNow();
  std::optional<QMap<QString, QString>> change(const std::function<void()>& push);
  QMap<QString, QString> refusals(const QStringList& changed) const;
  void showRefusal(const QString& setting, const QString& reason);
  qsizetype discarded() const;
  void askToDiscard(qsizetype count);

  QVBoxLayout* Column;
  pqDSMReservedLabel* Note;
  pqDSMReservedLabel* Pending; ///< changes that are not in force yet
  QCheckBox* Advanced;
  pqProxyWidget* Widgets = nullptr;
  bool Running = false;
  bool Polling = false;
  bool ChangedInPoll = false;
  pqDSMStatus Status;
  QPointer<QMessageBox> Question;
  vtkWeakPointer<vtkSMProxy> Proxy;
};

#endif
