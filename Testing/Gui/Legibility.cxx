// SPDX-License-Identifier: BSD-3-Clause
#include "Legibility.h"

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
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace
{
// Between a text and its background, for people with normal sight (WCAG 2.1, level AA).
constexpr double LeastContrast = 4.5;

// A part of one of Qt's widgets, which needs no tool tip of its own.
bool IsPart(const QWidget* widget)
{
  return widget->objectName().startsWith("qt_") || qobject_cast<const QScrollBar*>(widget) ||
    (widget->parentWidget() &&
      (qobject_cast<const QComboBox*>(widget->parentWidget()) ||
        qobject_cast<const QAbstractSpinBox*>(widget->parentWidget()) ||
        qobject_cast<const QTabBar*>(widget->parentWidget()) ||
        qobject_cast<const QDockWidget*>(widget->parentWidget()) ||
        qobject_cast<const QHeaderView*>(widget->parentWidget())));
}

// Qt shows the tool tip of a parent if a widget has none. That of a whole page does not count.
bool HasToolTip(const QWidget* widget)
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

bool IsControl(const QWidget* widget)
{
  return qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QComboBox*>(widget) ||
    qobject_cast<const QAbstractSpinBox*>(widget) || qobject_cast<const QLineEdit*>(widget) ||
    qobject_cast<const QAbstractSlider*>(widget) || qobject_cast<const QProgressBar*>(widget) ||
    qobject_cast<const QAbstractItemView*>(widget) || widget->inherits("pqDSMChart");
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
  // Lines can be broken after spaces, hyphens, and zero-width spaces.
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
    if (header->isSectionHidden(section))
    {
      continue;
    }
    const auto text = header->model()->headerData(section, header->orientation()).toString();
    const auto tip =
      header->model()->headerData(section, header->orientation(), Qt::ToolTipRole).toString();
    const int margin = header->style()->pixelMetric(QStyle::PM_HeaderMargin, nullptr, header);
    if (header->fontMetrics().horizontalAdvance(text) + 2 * margin > header->sectionSize(section))
    {
      found << "the column's header is cut off: " + text;
    }
    if (tip.isEmpty())
    {
      found << "the column's header has no tool tip: " + text;
    }
  }
  return found;
}

double RelativeLuminance(const QColor& colour)
{
  const auto part = [](double value)
  { return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4); };
  return 0.2126 * part(colour.redF()) + 0.7152 * part(colour.greenF()) +
    0.0722 * part(colour.blueF());
}

// Between the colour of the text and the most frequent colour of the widget.
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
  QRgb background = 0;
  int most = 0;
  for (auto each = counted.begin(); each != counted.end(); ++each)
  {
    if (each.value() > most)
    {
      most = each.value();
      background = each.key();
    }
  }
  const double text = RelativeLuminance(widget->palette().color(widget->foregroundRole()));
  const double behind = RelativeLuminance(QColor(background));
  return (std::max(text, behind) + 0.05) / (std::min(text, behind) + 0.05);
}

// Qt wraps a tool tip only if it is rich text.
bool IsTooWide(const QString& toolTip)
{
  constexpr int widest = 600; // pixels
  const QFontMetrics metrics(QToolTip::font());
  const QStringList lines = Qt::mightBeRichText(toolTip) ? QStringList() : toolTip.split('\n');
  return std::any_of(lines.begin(), lines.end(),
    [&](const QString& line) { return metrics.horizontalAdvance(line) > widest; });
}

void AddToolTips(const QAbstractItemModel* model, const QModelIndex& parent, QStringList& found)
{
  for (int row = 0; row < model->rowCount(parent); ++row)
  {
    for (int column = 0; column < model->columnCount(parent); ++column)
    {
      found << model->index(row, column, parent).data(Qt::ToolTipRole).toString();
    }
    AddToolTips(model, model->index(row, 0, parent), found);
  }
}

// Lists the tool tips of a widget and its parts.
QStringList ToolTipsOf(const QWidget* widget)
{
  QStringList found{ widget->toolTip() };
  if (const auto* bar = qobject_cast<const QTabBar*>(widget))
  {
    for (int tab = 0; tab < bar->count(); ++tab)
    {
      found << bar->tabToolTip(tab);
    }
  }
  const auto* header = qobject_cast<const QHeaderView*>(widget);
  for (int section = 0; header && section < header->count(); ++section)
  {
    found
      << header->model()->headerData(section, header->orientation(), Qt::ToolTipRole).toString();
  }
  const auto* view = qobject_cast<const QAbstractItemView*>(widget);
  if (view && !header)
  {
    AddToolTips(view->model(), QModelIndex(), found);
  }
  return found;
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

bool IsClippedAtSide(const QWidget* widget)
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
  if (IsControl(widget) && !HasToolTip(widget))
  {
    found << "has no tool tip";
  }
  for (const auto& toolTip : ToolTipsOf(widget))
  {
    if (IsTooWide(toolTip))
    {
      found << "has a tool tip that is too wide: " + toolTip;
    }
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
  // The pages scroll vertically only.
  if (IsClippedAtSide(widget))
  {
    found << "is clipped at the side of a parent";
  }
  if (label && widget->isEnabled() && !label->text().isEmpty() &&
    // Not of a line that is mostly scrolled out of sight.
    widget->visibleRegion().boundingRect().height() >= widget->fontMetrics().height())
  {
    const double contrast = Contrast(widget, root, picture);
    if (contrast < LeastContrast)
    {
      found << QString("has too little contrast: %1").arg(contrast, 0, 'f', 1);
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

QStringList LegibilityProblems(QWidget* root)
{
  QStringList found;
  const auto picture = root->grab().toImage();
  for (const auto* widget : root->findChildren<QWidget*>())
  {
    if (!widget->isVisible() || IsPart(widget))
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
