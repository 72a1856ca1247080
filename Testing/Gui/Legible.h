// SPDX-License-Identifier: BSD-3-Clause
#ifndef Legible_h
#define Legible_h

#include <QStringList>

class QWidget;

/// What a person could not read, or would not understand, of what is to be seen in a widget now:
/// text that is cut off, text too pale for what is behind it, and what can be used and has no tool
/// tip. A line each, with the widget's name and its text.
QStringList FindIllegible(QWidget* root);

#endif
