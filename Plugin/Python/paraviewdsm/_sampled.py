# SPDX-License-Identifier: BSD-3-Clause
"""An array for a running simulation, taken from the data of a pipeline."""

import json

from paraview import servermanager

from . import _proxy
from ._errors import Error

_ASSOCIATIONS = {"POINTS": 0, "CELLS": 1, "ROWS": 6}


class SampledArray:
    """The proxy DSMSampledArray; see Steering.send for the arguments. `description` says how the values were taken."""

    def __init__(self, server, program, name, source, array, grid, outside):
        self._proxy = _proxy.create("misc", "DSMSampledArray")
        set_property = servermanager.vtkSMPropertyHelper
        set_property(self._proxy, "Server").Set(server)
        for role, data in (("Input", source), ("Grid", grid)):
            if data is not None:
                # An output port has its source; a source stands for its first port.
                port = getattr(data, "Port", 0)
                set_property(self._proxy, role).Set(getattr(data, "SMProxy", data), port)
        self._proxy.UpdateVTKObjects()
        _proxy.assign(self._proxy, Program=program, Parameter=name, Coverage=array is None, Outside=outside)
        time = servermanager.ProxyManager().GetProxy("timekeeper", "TimeKeeper")
        if time is not None:
            _proxy.assign(self._proxy, Time=time.Time, HasTime=True)
        if array is not None:
            source.UpdatePipeline(*([] if time is None else [time.Time]))
            association, array = array if isinstance(array, tuple) else (_association(source, array), array)
            helper = set_property(self._proxy, "Array")
            helper.SetInputArrayToProcess(_ASSOCIATIONS[association.upper()], array)
            self._proxy.UpdateVTKObjects()
        self.description = json.loads(self._command("Sample", "Description"))

    def store(self):
        """Puts the values into the hosts' memory. Returns what a parameter is to be set to."""
        return self._command("Store", "Stored")

    def _command(self, name, result):
        self._proxy.InvokeCommand(name)
        error, text = _proxy.scalar(self._proxy, "CommandError", result)
        if error:
            raise Error(error)
        return text


def _association(source, array):
    """Returns the association of a source's array. Points come first, as in ParaView's lists."""
    information = source.GetDataInformation()
    for association, data in (("POINTS", information.GetPointDataInformation()),
                              ("CELLS", information.GetCellDataInformation())):
        if data.GetArrayInformation(array):
            return association
    return "ROWS" if information.GetRowDataInformation().GetArrayInformation(array) else "POINTS"
