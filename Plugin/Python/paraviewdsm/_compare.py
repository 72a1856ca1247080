# SPDX-License-Identifier: BSD-3-Clause
"""Two runs or streams side by side, and their difference: Server.compare()."""

import dataclasses
import time

from paraview import servermanager

from . import _proxy
from ._colours import apply_preset
from ._errors import Error

# Bounds of equal meshes may differ by so much of their size.
_TOLERANCE = 1e-6

# How often both are asked for a time that they have in common, seconds.
_LOOK_INTERVAL = 0.5

# What a view of the same data looks like is taken over.
_CAMERA = ("CameraPosition", "CameraFocalPoint", "CameraViewUp", "CameraViewAngle", "CameraParallelProjection",
           "CameraParallelScale", "InteractionMode", "CenterOfRotation")


@dataclasses.dataclass(frozen=True)
class Comparison:
    """What Server.compare() has made, as paraview.simple has it."""

    layout: object
    views: tuple
    """Three views: the one, the other, the difference."""
    readers: tuple
    """Two readers, which are at the same time, whatever time is asked for."""
    difference: object
    """The filter that computes how far they are apart."""


def compare(contact, one, other, array=None, titles=None, timeout=0):
    """Makes the Comparison; Error with the reason, and nothing to be seen, where it cannot be."""
    titles = titles or (one, other)
    readers = when_common(contact, one, other, timeout)
    _require_common_time(readers, titles)
    _require_same_mesh(readers, titles)
    seen = _display_of(one)
    association, name = _array(readers, titles, array or _coloured_by(seen))
    return _show(readers, titles, association, name, seen)


def when_common(contact, one, other, timeout):
    """Two readers of a comparison, which nobody sees yet, as soon as both have a snapshot of the same time in memory,
    or after as many seconds. The second may come when the first has ended."""
    readers = [_reader(contact, *names) for names in ((one, other), (other, one))]
    # Counted, so that all ranks that run the script do the same.
    waited = 0.0
    while waited < timeout and not _times(readers[0]):
        time.sleep(_LOOK_INTERVAL)
        waited += _LOOK_INTERVAL
        for reader in readers:
            _proxy.ask_again(reader)
    return readers


def _reader(contact, stream, other):
    """A reader that nobody sees yet, with its list of snapshots."""
    proxy = servermanager.ProxyManager().NewProxy("sources", "DSMReader")
    controller = servermanager.ParaViewPipelineController()
    controller.PreInitializeProxy(proxy)
    for name, value in (("FilePattern", stream), ("OnlyTimesOf", other), ("ContactFile", contact)):
        servermanager.vtkSMPropertyHelper(proxy, name).Set(value)
    controller.PostInitializeProxy(proxy)
    proxy.UpdateVTKObjects()
    reader = servermanager._getPyProxy(proxy)
    reader.UpdatePipelineInformation()
    return reader


def _times(reader):
    return _proxy.information(reader.SMProxy, "ListedTimes")[0]


def _require_common_time(readers, titles):
    if not _times(readers[0]):
        raise Error(f"cannot compare {titles[0]} and {titles[1]}: they have no time in common in memory (yet)")


def _require_same_mesh(readers, titles):
    """Of their newest common time."""
    time = _times(readers[0])[-1]
    for reader, title in zip(readers, titles, strict=True):
        reader.UpdatePipeline(time)
        error = _proxy.scalar(reader.SMProxy, "ErrorText")
        if error:
            raise Error(f"cannot compare {title}: {error}")
    kinds, meshes = zip(*(_mesh(reader.GetDataInformation().DataInformation) for reader in readers), strict=True)
    if "vtkTable" in kinds:
        raise Error(
            f"cannot compare {titles[kinds.index('vtkTable')]}: it is a table. Choose fields on meshes, or points")
    (points, cells, bounds), (other_points, other_cells, other_bounds) = meshes
    if kinds[0] != kinds[1] or points != other_points or cells != other_cells:
        raise Error(f"cannot compare {titles[0]} and {titles[1]}: they have different meshes ({points} points and "
                    f"{cells} cells, {other_points} points and {other_cells} cells)")
    size = max((high - low for low, high in zip(bounds[::2], bounds[1::2], strict=True)), default=0)
    if any(abs(here - there) > _TOLERANCE * size for here, there in zip(bounds, other_bounds, strict=True)):
        raise Error(f"cannot compare {titles[0]} and {titles[1]}: they have different meshes, at different places")


def _mesh(information):
    """The class of the data, and what tells two meshes apart."""
    kind = information.GetCompositeDataSetType() if information.IsCompositeDataSet() else information.GetDataSetType()
    name = "vtkTable" if information.GetDataClassName() == "vtkTable" else kind
    return name, (information.GetNumberOfPoints(), information.GetNumberOfCells(), tuple(information.GetBounds()))


def _display_of(pattern):
    """How a stream is shown already: its representation and the view; None where it is not."""
    from paraview import simple

    stream = pattern.rpartition("@")[0] or pattern
    for view in simple.GetRenderViews():
        for display in view.Representations:
            reader = getattr(display, "Input", None)
            if (reader is not None and display.Visibility and reader.SMProxy.GetXMLName() == "DSMReader"
                    and not reader.FixedTime and reader.FilePattern in (pattern, stream, "")):
                return display, view
    return None


def _coloured_by(seen):
    """The association and the name of the array, or None."""
    colours = seen and seen[0].ColorArrayName
    return (colours[0], colours[1]) if colours and colours[1] else None


def _array(readers, titles, wanted):
    """The array to compare: that one, or the first that both have."""
    found = [[(association, array.Name)
              for association, data in (("POINTS", reader.PointData), ("CELLS", reader.CellData))
              for array in data.values() if not array.Name.startswith("vtk")] for reader in readers]
    common = [array for array in found[0] if array in found[1]]
    if wanted is None and common:
        return common[0]
    wanted = wanted and (wanted if isinstance(wanted, tuple | list) else ("POINTS", wanted))
    if wanted is None or tuple(wanted) not in common:
        what = f"the array {wanted[1]}" if wanted else "an array of the same name"
        raise Error(f"cannot compare {titles[0]} and {titles[1]}: they do not both have {what}")
    return tuple(wanted)


def _apart(name):
    """The name of the array with the difference."""
    return f"abs(Δ{name})"


def _show(readers, titles, association, name, seen):
    from paraview import simple

    controller = servermanager.ParaViewPipelineController()
    for reader, title in zip(readers, titles, strict=True):
        controller.RegisterPipelineProxy(reader.SMProxy, f"{title} (compared)")
    data = "PointData" if association == "POINTS" else "CellData"
    difference = simple.PythonCalculator(
        registrationName=_apart(name), Input=readers, ArrayName=_apart(name),
        ArrayAssociation="Point Data" if association == "POINTS" else "Cell Data",
        # Of unsigned numbers as well.
        Expression=f"abs(1.0 * inputs[1].{data}[{name!r}] - inputs[0].{data}[{name!r}])")
    difference.UpdatePipeline(_times(readers[0])[-1])
    layout = simple.CreateLayout(f"{titles[0]} and {titles[1]}")
    names = (*titles, _apart(name))
    # Without axes in the corner, where the legend is.
    views = [simple.CreateRenderView(registrationName=f"view: {title}", OrientationAxesVisibility=0) for title in names]
    right = layout.SplitHorizontal(0, 1 / 3) + 1
    last = layout.SplitHorizontal(right, 0.5) + 1
    for view, cell in zip(views, (right - 1, last - 1, last), strict=True):
        simple.AssignViewToLayout(view=view, layout=layout, hint=cell)
    kind = servermanager.vtkSMPropertyHelper(seen[0].SMProxy, "Representation").GetAsString() if seen else "Surface"
    sources = (*readers, difference)
    for view, source, title in zip(views, sources, names, strict=True):
        display = simple.Show(source, view)
        if kind in display.GetProperty("Representation").Available:
            display.SetRepresentationType(kind)
        array = name if source is not difference else _apart(name)
        simple.ColorBy(display, (association, array))
        display.SetScalarBarVisibility(view, True)
        # The views are narrow.
        simple.SetProperties(
            simple.GetScalarBar(simple.GetColorTransferFunction(array), view), Orientation="Horizontal",
            WindowLocation="Lower Center", ScalarBarLength=0.6, TitleFontSize=14, LabelFontSize=12,
            HorizontalTitle=1, AutomaticAnnotations=0, DrawAnnotations=0)
        text = simple.Text(registrationName=f"title: {title}", Text=title)
        simple.SetProperties(simple.Show(text, view), WindowLocation="Upper Center", FontSize=12)
    _set_ranges(readers, difference, association, name)
    _set_cameras(views, seen)
    simple.SetActiveView(views[0])
    simple.SetActiveSource(readers[0])
    for view in views:
        simple.Render(view)
    return Comparison(layout, tuple(views), tuple(readers), difference)


def _set_ranges(readers, difference, association, name):
    """The same colours for both, over the values of both; those of the difference begin at none."""
    from paraview import simple

    def largest(source, array):
        data = source.PointData if association == "POINTS" else source.CellData
        found = data[array]
        return found.GetRange(-1 if found.GetNumberOfComponents() > 1 else 0)

    lows, highs = zip(*(largest(reader, name) for reader in readers), strict=True)
    colours = simple.GetColorTransferFunction(name)
    colours.RescaleTransferFunction(min(lows), max(highs))
    simple.GetOpacityTransferFunction(name).RescaleTransferFunction(min(lows), max(highs))
    colours.AutomaticRescaleRangeMode = "Grow and update every timestep"
    apart = simple.GetColorTransferFunction(_apart(name))
    apply_preset(apart, "Inferno")
    # Where there is none yet, the range grows from almost nothing.
    high = largest(difference, _apart(name))[1] or 1e-9 * (max(highs) - min(lows)) or 1e-9
    apart.RescaleTransferFunction(0, high)
    simple.GetOpacityTransferFunction(_apart(name)).RescaleTransferFunction(0, high)
    apart.AutomaticRescaleRangeMode = "Grow and update every timestep"


def _set_cameras(views, seen):
    """As the data were looked at, or all of them; moved together from then on."""
    from paraview import simple

    for view in views:
        for property in _CAMERA if seen else ():
            view.SetPropertyWithName(property, seen[1].GetPropertyValue(property))
        view.ResetCamera(False)  # a view is narrower than that one
    for view in views[1:]:
        simple.AddCameraLink(views[0], view, f"compared {views[0].GetGlobalIDAsString()} {view.GetGlobalIDAsString()}")
