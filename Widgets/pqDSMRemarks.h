// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMRemarks_h
#define pqDSMRemarks_h

#include <QList>
#include <QStringList>
#include <QWidget>

class QGridLayout;
class QLabel;
class QScrollArea;

/// What was guessed of a file, and what the user has set instead: a line for each, with a button
/// where a property of the reader sets it, and one for each other reading that can be chosen. A few
/// lines are shown at once; others are scrolled to.
class pqDSMRemarks : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;

public:
  explicit pqDSMRemarks(QWidget* parent);

  /// Shows two texts each of `guesses` and `set`: in words, and the property that sets it; empty:
  /// none does. Of `alternatives` it takes four each: the guess, the property that selects the
  /// other reading, the property's value, and the reading in words.
  void show(const QStringList& guesses, const QStringList& alternatives, const QStringList& set);

Q_SIGNALS:
  /// The user wants to set a property.
  void settingRequested(const QString& property);
  /// The user has chosen another reading.
  void alternativeChosen(const QString& property, const QString& value);
  /// The user wants what was recognised again.
  void resetRequested(const QString& property);

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  void addTitle(const QString& text);
  void addLine(const QString& text, const QString& property, const QList<QWidget*>& others);
  QList<QWidget*> alternativesTo(const QString& guess);
  QWidget* resetButton(const QString& property);
  void fitHeight();

  QScrollArea* Area;
  QGridLayout* Lines = nullptr;
  QStringList Guesses, Alternatives, Set; ///< as shown
};

#endif
