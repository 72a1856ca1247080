// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMCompactHeader.h"

#include <QStyleOptionHeader>

pqDSMCompactHeader::pqDSMCompactHeader(QWidget* parent)
  : Superclass(Qt::Horizontal, parent)
{
  this->setMinimumSectionSize(24);
  this->setHighlightSections(false);
  this->setStretchLastSection(false);
  this->setSectionsMovable(false);
  this->setSectionsClickable(true);
  this->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  // Only rows in sight count: a list may have thousands.
  this->setResizeContentsPrecision(0);
}

QSize pqDSMCompactHeader::sectionSizeFromContents(int section) const
{
  QSize size = Superclass::sectionSizeFromContents(section);
  if (this->isSortIndicatorShown() && section != this->sortIndicatorSection())
  {
    const auto width = [this](QStyleOptionHeader::SortIndicator mark)
    {
      QStyleOptionHeader option;
      option.initFrom(this);
      option.orientation = Qt::Horizontal;
      option.sortIndicator = mark;
      return this->style()
        ->sizeFromContents(QStyle::CT_HeaderSection, &option, QSize(), this)
        .width();
    };
    size.rwidth() -= width(QStyleOptionHeader::SortDown) - width(QStyleOptionHeader::None);
  }
  return size;
}
