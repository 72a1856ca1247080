// SPDX-License-Identifier: BSD-3-Clause
#ifndef Legibility_h
#define Legibility_h

#include <QStringList>

class QWidget;

/// What the user could not read or understand in a widget as it is now: texts that are cut off,
/// texts with too little contrast, controls without a tool tip, and tool tips that are too wide. A
/// line for each, with the name and the text of the widget.
QStringList LegibilityProblems(QWidget* root);

#endif
