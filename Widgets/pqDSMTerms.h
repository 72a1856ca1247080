// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMTerms_h
#define pqDSMTerms_h

#include <QHash>
#include <QTranslator>

class vtkSMProperty;
class vtkSMSessionProxyManager;

/// The words for properties and their choices in the window, if they differ from those in the XML.
/// ParaView makes the names of properties in Python from the labels in the XML, so these labels
/// cannot change. A property has the words for the window in its hints:
///
///     <Display source="Also On Disk" text="Save to Disk"/>
///
/// ParaView translates labels before it shows them. This translator is the one for our proxies. The
/// words of choices are those of our own widgets: ParaView's would not find the choice by them.
class pqDSMTerms : public QTranslator
{
  Q_OBJECT
  using Superclass = QTranslator;

public:
  explicit pqDSMTerms(QObject* parent);

  /// Takes the words of all proxies of the plugin, once they are known, and installs itself.
  void install(vtkSMSessionProxyManager* manager);

  /// What the window shows for a text of a property: the text itself if the hints have no other.
  static QString shown(const QString& source, vtkSMProperty* property);

  ///@{
  /// For Qt.
  QString translate(
    const char* context, const char* source, const char* disambiguation, int count) const override;
  bool isEmpty() const override { return this->Words.empty(); }
  ///@}

private:
  QHash<QString, QString> Words; ///< by the text in the XML
};

#endif
