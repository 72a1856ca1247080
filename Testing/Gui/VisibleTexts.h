// SPDX-License-Identifier: BSD-3-Clause
#ifndef VisibleTexts_h
#define VisibleTexts_h

#include <QStringList>

class QWidget;

/// All texts that are visible in a widget now: of labels, buttons, fields, tabs, dock titles and
/// items of lists. Also those parts of them that are cut off or scrolled out of sight within a
/// field. Texts that a widget paints by itself are not found.
QStringList VisibleTexts(const QWidget* root);

#endif
