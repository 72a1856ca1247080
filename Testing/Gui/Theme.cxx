// SPDX-License-Identifier: BSD-3-Clause
#include "Theme.h"

#include <QApplication>
#include <QPalette>
#include <QStyle>
#include <QStyleFactory>
#include <QWidget>

namespace
{
struct Appearance
{
  QString Style;
  QPalette Colours;
};

const Appearance& Initial()
{
  static const Appearance initial{ QApplication::style()->name(), QApplication::palette() };
  return initial;
}

// Qt computes the colours of style sheets when they are set, not when the palette changes. (In
// ParaView the palette is set before the window is made.)
void RenewStyleSheets()
{
  for (auto* widget : QApplication::allWidgets())
  {
    const QString own = widget->styleSheet();
    if (!own.isEmpty())
    {
      widget->setStyleSheet(QString());
      widget->setStyleSheet(own);
    }
  }
}

void Set(const Appearance& appearance)
{
  // Only if it is another one: setting a style takes long.
  if (QApplication::style()->name().compare(appearance.Style, Qt::CaseInsensitive) != 0)
  {
    QApplication::setStyle(QStyleFactory::create(appearance.Style));
  }
  QApplication::setPalette(appearance.Colours);
  RenewStyleSheets();
}
}

void Theme::Dark()
{
  Initial();
  // Qt derives the other colours from these two.
  QPalette dark(QColor(58, 58, 62), QColor(45, 45, 48));
  dark.setColor(QPalette::Base, QColor(30, 30, 32));
  dark.setColor(QPalette::AlternateBase, QColor(40, 40, 43));
  dark.setColor(QPalette::Highlight, QColor(60, 120, 190));
  dark.setColor(QPalette::HighlightedText, Qt::white);
  for (const auto role : { QPalette::WindowText, QPalette::Text, QPalette::ButtonText })
  {
    dark.setColor(QPalette::Disabled, role, QColor(130, 130, 130));
  }
  Set({ "fusion", dark });
}

void Theme::Light()
{
  Set(Initial());
}
