// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSnapshotFilter_h
#define pqDSMSnapshotFilter_h

#include <QCollator>
#include <QRegularExpression>
#include <QSortFilterProxyModel>

#include <optional>

/// The rows of a pqDSMSnapshotModel that the user wants to see, in the order of a column. Groups
/// stay in the model's order; snapshots are sorted within them.
class pqDSMSnapshotFilter : public QSortFilterProxyModel
{
  Q_OBJECT
  using Superclass = QSortFilterProxyModel;

public:
  explicit pqDSMSnapshotFilter(QObject* parent);

  /// Which snapshots are wanted: those whose stream or file name contains a text, or fits a pattern
  /// with * and ?, and whose simulation time lies in a range. An end that is missing is open.
  struct Wanted
  {
    QString Text;
    std::optional<double> From, To;

    bool operator==(const Wanted&) const = default;
  };
  void setWanted(const Wanted& wanted);
  /// Whether some rows may be hidden.
  bool isActive() const { return this->Want != Wanted(); }

protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
  Wanted Want;
  QRegularExpression Pattern; ///< of the text, if it is one
  QCollator Names;            ///< "u.9.h5" comes before "u.10.h5"
};

#endif
