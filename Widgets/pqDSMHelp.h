// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMHelp_h
#define pqDSMHelp_h

#include <QObject>
#include <QTemporaryDir>

/// Adds the plugin's pages to ParaView's help. The build makes them from the server-manager XML and
/// PANEL.md, in a file beside the plugin. Without the file there are no pages, and no error.
class pqDSMHelp : public QObject
{
  Q_OBJECT
  using Superclass = QObject;

public:
  explicit pqDSMHelp(QObject* parent = nullptr);

  void startup();
  void shutdown() {}

private:
  QTemporaryDir Folder; ///< for a help collection of our own, where ParaView's cannot be changed
};

#endif
