// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMChart_h
#define pqDSMChart_h

#include <QWidget>

#include <optional>

/// A chart with a title and a number above it: of what is under the mouse, or else of the whole.
/// What is drawn comes from the classes derived from it.
class pqDSMChart : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;
  /// The number above it.
  Q_PROPERTY(QString reading READ reading)

public:
  pqDSMChart(const QString& title, QWidget* parent);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

protected:
  virtual bool isEmpty() const = 0;
  /// Not when it is empty. `mouse`: where the mouse is, across.
  virtual QString reading(std::optional<double> mouse) const = 0;
  virtual void paintData(
    QPainter& painter, const QRectF& area, std::optional<double> mouse) const = 0;

  /// The area for the data, between axes of marks as wide as "2.5e+07" and of one line.
  QRectF area() const;

  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

private:
  QString reading() const;

  QString Title;
  std::optional<double> Mouse;
};

#endif
