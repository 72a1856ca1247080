// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMArrayPicture_h
#define pqDSMArrayPicture_h

#include <QJsonObject>
#include <QWidget>

class QLabel;

/// A small picture of an array with its range below it.
class pqDSMArrayPicture : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;

public:
  pqDSMArrayPicture(const QString& title, QWidget* parent);

  /// Shows a summary of an array (ArraySummary, as JSON).
  void showSummary(const QJsonObject& summary);
  /// Shows a text in the picture's place.
  void showText(const QString& text);

private:
  QLabel* Picture;
  QLabel* Range;
};

#endif
