// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMColorRange_h
#define pqDSMColorRange_h

#include <QList>
#include <QSet>
#include <QString>

#include <vtkSMProxy.h>     // For vtkWeakPointer to one
#include <vtkWeakPointer.h> // For vtkWeakPointer

#include <optional>

class pqPipelineSource;

/// How the ranges of color maps go along with data that are followed: by ParaView's own modes,
/// which it carries out whenever its time changes.
///
/// ParaView's default for a new color map looks at the data when the user presses Apply. Nobody
/// does while the panel follows, so a color map would keep the range of the first snapshot.
class pqDSMColorRange
{
public:
  /// As in ParaView's color map editor.
  enum class Mode
  {
    Grow,  ///< grow and update every timestep
    Clamp, ///< clamp and update every timestep
    Never
  };

  /// For color maps from now on, and those there are.
  void setMode(Mode mode);
  Mode mode() const { return this->Current; }

  /// Gives the mode to color maps that are new, of the readers' data and of all that is made of
  /// them. The user may have chosen another mode for a color map: that one stays.
  void update(const QList<pqPipelineSource*>& readers);

  /// No color map is known any more.
  void clear();

  /// Data outside their color map's range.
  struct Outside
  {
    QString Text;
    vtkWeakPointer<vtkSMProxy> Representation;
  };
  static std::optional<Outside> find(const QList<pqPipelineSource*>& readers);

  /// Gives a representation's color map the range of the data that are shown.
  static void rescale(vtkSMProxy* representation);

private:
  Mode Current = Mode::Grow;
  bool HasChanged = false;
  QSet<quint32> Known; ///< the color maps' global IDs
};

#endif
