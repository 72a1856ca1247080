// SPDX-License-Identifier: BSD-3-Clause
#include "Legible.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPixmap>
#include <QProgressBar>
#include <QRegularExpression>
#include <QScrollBar>
#include <QStyleOptionComboBox>
#include <QStyleOptionHeader>
#include <QTabBar>
#include <QTabWidget>
#include <QTextDocumentFragment>

#include <algorithm>
#include <cmath>

namespace
{
// What people with ordinary eyes need between text and what is behind it (WCAG 2.1, level AA).
constexpr double LeastContrast = 4.5;

// Qt's own parts, which are not ours to explain.
bool IsPartOfOther(const QWidget* widget)
{
  return widget->objectName().startsWith("qt_") || qobject_cast<const QScrollBar*>(widget) ||
    (widget->parentWidget() &&
      (qobject_cast<const QComboBox*>(widget->parentWidget()) ||
        qobject_cast<const QAbstractSpinBox*>(widget->parentWidget()) ||
        qobject_cast<const QTabBar*>(widget->parentWidget()) ||
        qobject_cast<const QDockWidget*>(widget->parentWidget()) ||
        qobject_cast<const QHeaderView*>(widget->parentWidget())));
}

// Qt asks the widgets around one that has none. A whole page's would explain nothing.
bool IsExplained(const QWidget* widget)
{
  for (int level = 0; widget && level < 3; ++level, widget = widget->parentWidget())
  {
    if (!widget->toolTip().trimmed().isEmpty())
    {
      return true;
    }
    if (widget->inherits("QStackedWidget") || widget->inherits("QScrollArea"))
    {
      return false;
    }
  }
  return false;
}

bool IsUsed(const QWidget* widget)
{
  return qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QComboBox*>(widget) ||
    qobject_cast<const QAbstractSpinBox*>(widget) || qobject_cast<const QLineEdit*>(widget) ||
    qobject_cast<const QAbstractSlider*>(widget) || qobject_cast<const QProgressBar*>(widget) ||
    qobject_cast<const QAbstractItemView*>(widget) || widget->inherits("pqDSMPlot") ||
    widget->inherits("pqDSMSpread");
}

// ParaView's labels are rich text of one paragraph.
QString PlainText(const QLabel* label)
{
  return Qt::mightBeRichText(label->text())
    ? QTextDocumentFragment::fromHtml(label->text()).toPlainText()
    : label->text();
}

int WidestWord(const QLabel* label)
{
  int widest = 0;
  // Where a line may break: after spaces, hyphens, and spaces of no width.
  static const QRegularExpression breaks("[\\s\\x{200b}-]+");
  for (const auto& word : PlainText(label).split(breaks))
  {
    widest = std::max(widest, label->fontMetrics().horizontalAdvance(word));
  }
  return widest;
}

bool IsCutOff(const QLabel* label)
{
  const auto area = label->contentsRect();
  const int wrapping = label->wordWrap() ? Qt::TextWordWrap : 0;
  const auto needed = label->fontMetrics().boundingRect(
    QRect(0, 0, area.width(), QWIDGETSIZE_MAX), wrapping, PlainText(label));
  return needed.height() > area.height() + 2 ||
    (label->wordWrap() ? WidestWord(label) : needed.width()) > area.width() + 1;
}

bool IsCutOff(const QComboBox* box)
{
  QStyleOptionComboBox option;
  option.initFrom(box);
  option.editable = box->isEditable();
  const auto area =
    box->style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, box);
  return box->fontMetrics().horizontalAdvance(box->currentText()) > area.width();
}

QStringList CutOffTabs(const QTabBar* bar)
{
  QStringList found;
  if (bar->sizeHint().width() > bar->width() + 1)
  {
    found << "the names of the pages need more room";
  }
  for (int tab = 0; tab < bar->count(); ++tab)
  {
    if (bar->fontMetrics().horizontalAdvance(bar->tabText(tab)) + 8 > bar->tabRect(tab).width())
    {
      found << "the page's name is cut off: " + bar->tabText(tab);
    }
    if (bar->tabToolTip(tab).isEmpty())
    {
      found << "the page has no tool tip: " + bar->tabText(tab);
    }
  }
  return found;
}

QStringList CutOffSections(const QHeaderView* header)
{
  QStringList found;
  for (int section = 0; section < header->count(); ++section)
  {
    const auto text = header->model()->headerData(section, header->orientation()).toString();
    const auto tip =
      header->model()->headerData(section, header->orientation(), Qt::ToolTipRole).toString();
    const int margin = header->style()->pixelMetric(QStyle::PM_HeaderMargin, nullptr, header);
    if (header->fontMetrics().horizontalAdvance(text) + 2 * margin > header->sectionSize(section))
    {
      found << "the column's head is cut off: " + text;
    }
    if (tip.isEmpty())
    {
      found << "the column's head has no tool tip: " + text;
    }
  }
  return found;
}

double Brightness(const QColor& colour)
{
  const auto part = [](double value)
  { return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4); };
  return 0.2126 * part(colour.redF()) + 0.7152 * part(colour.greenF()) +
    0.0722 * part(colour.blueF());
}

// Between the text's colour and the one that most of the widget has.
double Contrast(const QWidget* widget, const QWidget* root, const QImage& picture)
{
  const auto image = picture.copy(QRect(widget->mapTo(root, QPoint(0, 0)), widget->size()));
  QHash<QRgb, int> counted;
  for (int y = 0; y < image.height(); ++y)
  {
    for (int x = 0; x < image.width(); ++x)
    {
      ++counted[image.pixel(x, y)];
    }
  }
  QRgb behind = 0;
  int most = 0;
  for (auto each = counted.begin(); each != counted.end(); ++each)
  {
    if (each.value() > most)
    {
      most = each.value();
      behind = each.key();
    }
  }
  const double text = Brightness(widget->palette().color(widget->foregroundRole()));
  const double ground = Brightness(QColor(behind));
  return (std::max(text, ground) + 0.05) / (std::min(text, ground) + 0.05);
}

QString TextOf(const QWidget* widget)
{
  for (const char* property : { "text", "currentText", "format" })
  {
    const auto text = widget->property(property).toString();
    if (!text.isEmpty())
    {
      return text.left(60);
    }
  }
  return {};
}

QString NameOf(const QWidget* widget)
{
  QString name = widget->objectName();
  for (const auto* above = widget->parentWidget(); name.isEmpty() && above;
    above = above->parentWidget())
  {
    name = above->objectName();
  }
  return QString("%1 %2 \"%3\"").arg(widget->metaObject()->className(), name, TextOf(widget));
}

bool IsBeyondTheSide(const QWidget* widget)
{
  for (const auto* above = widget->parentWidget(); above && !widget->isWindow();
    above = above->parentWidget())
  {
    const auto left = widget->mapTo(above, QPoint(0, 0)).x();
    if (left < 0 || left + widget->width() > above->width())
    {
      return true;
    }
    if (above->isWindow())
    {
      break;
    }
  }
  return false;
}

QStringList ProblemsOf(const QWidget* widget, const QWidget* root, const QImage& picture)
{
  QStringList found;
  if (IsUsed(widget) && !IsExplained(widget))
  {
    found << "has no tool tip";
  }
  const auto* label = qobject_cast<const QLabel*>(widget);
  const auto* box = qobject_cast<const QComboBox*>(widget);
  const auto* button = qobject_cast<const QAbstractButton*>(widget);
  const auto* bar = qobject_cast<const QProgressBar*>(widget);
  const bool narrow = button && !button->text().isEmpty() &&
    (button->sizeHint().width() > button->width() + 1 ||
      button->sizeHint().height() > button->height() + 1);
  if ((label && IsCutOff(label)) || (box && IsCutOff(box)) || narrow ||
    (bar && bar->fontMetrics().horizontalAdvance(bar->text()) > bar->width()))
  {
    found << "its text is cut off";
  }
  // Up and down one scrolls; what is beyond the side is lost.
  if (IsBeyondTheSide(widget))
  {
    found << "lies partly beyond the side of what is around it";
  }
  if (label && widget->isEnabled() && !label->text().isEmpty() &&
    // Of a line that one has to scroll to, a sliver shows nothing.
    widget->visibleRegion().boundingRect().height() >= widget->fontMetrics().height())
  {
    const double contrast = Contrast(widget, root, picture);
    if (contrast < LeastContrast)
    {
      found << QString("is too pale, its contrast is %1").arg(contrast, 0, 'f', 1);
    }
  }
  if (const auto* tabs = qobject_cast<const QTabBar*>(widget))
  {
    found << CutOffTabs(tabs);
  }
  if (const auto* header = qobject_cast<const QHeaderView*>(widget))
  {
    found << CutOffSections(header);
  }
  return found;
}
}

QStringList FindIllegible(QWidget* root)
{
  QStringList found;
  const auto picture = root->grab().toImage();
  for (const auto* widget : root->findChildren<QWidget*>())
  {
    if (!widget->isVisible() || IsPartOfOther(widget))
    {
      continue;
    }
    for (const auto& problem : ProblemsOf(widget, root, picture))
    {
      found << NameOf(widget) + ": " + problem;
    }
  }
  return found;
}
