// SPDX-License-Identifier: BSD-3-Clause
#include "Theme.h"

#include <QApplication>
#include <QPalette>
#include <QStyle>
#include <QStyleFactory>
#include <QWidget>

namespace
{
struct Looks
{
  QString Style;
  QPalette Colours;
};

const Looks& AsItCame()
{
  static const Looks looks{ QApplication::style()->name(), QApplication::palette() };
  return looks;
}

// Qt computes the colours of style sheets anew when they are set, not when the palette changes.
// ParaView has its theme before it makes its window.
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

void Choose(const Looks& looks)
{
  // A new style takes its time: every widget is asked.
  if (QApplication::style()->name().compare(looks.Style, Qt::CaseInsensitive) != 0)
  {
    QApplication::setStyle(QStyleFactory::create(looks.Style));
  }
  QApplication::setPalette(looks.Colours);
  RenewStyleSheets();
}
}

void Theme::Dark()
{
  AsItCame();
  // The other colours of a theme follow from these two.
  QPalette dark(QColor(58, 58, 62), QColor(45, 45, 48));
  dark.setColor(QPalette::Base, QColor(30, 30, 32));
  dark.setColor(QPalette::AlternateBase, QColor(40, 40, 43));
  dark.setColor(QPalette::Highlight, QColor(60, 120, 190));
  dark.setColor(QPalette::HighlightedText, Qt::white);
  for (const auto role : { QPalette::WindowText, QPalette::Text, QPalette::ButtonText })
  {
    dark.setColor(QPalette::Disabled, role, QColor(130, 130, 130));
  }
  Choose({ "fusion", dark });
}

void Theme::Light()
{
  Choose(AsItCame());
}
