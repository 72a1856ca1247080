// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMCompactHeader_h
#define pqDSMCompactHeader_h

#include <QHeaderView>

/// The titles of columns, of which only the one that is sorted has room for the sort mark. Qt's own
/// header keeps that room in all of them.
class pqDSMCompactHeader : public QHeaderView
{
  Q_OBJECT
  using Superclass = QHeaderView;

public:
  explicit pqDSMCompactHeader(QWidget* parent);

  /// Fits the columns to the rows that are in sight.
  void fit() { this->resizeSections(); }

protected:
  QSize sectionSizeFromContents(int section) const override;
};

#endif
