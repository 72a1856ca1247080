// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMRemarks_h
#define pqDSMRemarks_h

#include <QStringList>
#include <QWidget>

class QGridLayout;
class QLabel;
class QScrollArea;

/// What was guessed of a file, and what the user has set instead: a line for each, with a button
/// where a property of the reader sets it. A few lines are shown at once; others are scrolled to.
class pqDSMRemarks : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;

public:
  explicit pqDSMRemarks(QWidget* parent);

  /// Two texts each: in words, and the property that sets it; empty: none does.
  void show(const QStringList& guesses, const QStringList& set);

Q_SIGNALS:
  /// The user wants to set a property.
  void settingRequested(const QString& property);

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  void addTitle(const QString& text);
  void addLine(const QString& text, const QString& property);
  void fitHeight();

  QScrollArea* Area;
  QGridLayout* Lines = nullptr;
  QStringList Guesses, Set; ///< as shown
};

#endif
