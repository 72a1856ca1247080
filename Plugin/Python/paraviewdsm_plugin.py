# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: N802 - the names of VTK and ParaView
"""A plugin for any ParaView from 5.12 on, as its vendor ships it: nothing is compiled.

Tools > Manage Plugins > Load New, or in scripts `LoadPlugin(".../paraviewdsm_plugin.py", ns=globals())`. Then
Sources > DSM > Live Simulation shows what a running server has. The hosts are processes of their own (dsm-serve), and
the library has to be installed beside this file.
"""

import json
import pathlib
import sys
import time

import numpy
from paraview.util.vtkAlgorithm import VTKPythonAlgorithmBase, smhint, smproperty, smproxy
from vtkmodules.util import numpy_support
from vtkmodules.vtkCommonCore import vtkUnsignedCharArray
from vtkmodules.vtkCommonDataModel import vtkDataObject
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
from vtkmodules.vtkParallelCore import vtkMultiProcessController

_HERE = pathlib.Path(__file__).resolve().parent
if str(_HERE) not in sys.path:
    sys.path.append(str(_HERE))

import dsm.vtk  # noqa: E402 - it stands beside this file


def _on_all_ranks(work):
    """Rank 0 does the work; all ranks of the pipeline get its result, which JSON can hold, or raise its error."""
    controller = vtkMultiProcessController.GetGlobalController()
    alone = controller is None or controller.GetNumberOfProcesses() == 1
    result = {}
    if alone or controller.GetLocalProcessId() == 0:
        try:
            result["value"] = work()
        except dsm.Error as error:
            result.update(error=str(error), status=error.status)
    if not alone:
        letters = vtkUnsignedCharArray()
        if result:
            letters = dsm.vtk.to_array(numpy.frombuffer(json.dumps(result).encode(), numpy.uint8))
        controller.Broadcast(letters, 0)
        result = json.loads(numpy_support.vtk_to_numpy(letters).tobytes())
    if "error" in result:
        raise dsm.Error(result["error"], result["status"])
    return result["value"]


@smproxy.source(name="LiveSimulation", label="Live Simulation")
@smhint.xml('<ShowInMenu category="DSM"/><LiveSource interval="200"/>')
class LiveSimulation(VTKPythonAlgorithmBase):
    """The snapshots of one stream in a server's memory, as time steps."""

    def __init__(self):
        super().__init__(nInputPorts=0, nOutputPorts=1, outputType="vtkDataObject")
        self._contact = "run.dsm"
        self._stream = ""
        self._follows = True
        self._viewer = None
        self._watcher, self._asks_again = None, 0.0  # for the window
        self._snapshots = []
        self._files = None
        self._shown, self._number = None, 0

    @smproperty.xml("""
        <StringVectorProperty name="ContactFile" label="Contact File" command="SetContactFile" number_of_elements="1"
            default_values="run.dsm">
          <FileListDomain name="files"/>
          <Documentation>The file by which a server is found, as dsm-serve has it.</Documentation>
        </StringVectorProperty>""")
    def SetContactFile(self, name):
        if name != self._contact:
            self._contact = name
            self._viewer = self._watcher = self._files = self._shown = None
            self.Modified()

    @smproperty.xml("""
        <StringVectorProperty name="Stream" command="SetStream" number_of_elements="1" default_values="">
          <Documentation>A stream of files such as out.#.vtkhdf, or a shell pattern of names. Empty: the stream of
          the newest snapshot.</Documentation>
        </StringVectorProperty>""")
    def SetStream(self, pattern):
        pattern = pattern or ""
        if pattern != self._stream:
            self._stream = pattern
            self.Modified()

    @smproperty.xml("""
        <IntVectorProperty name="Follow" command="SetFollow" number_of_elements="1" default_values="1">
          <BooleanDomain name="bool"/>
          <Documentation>Show the newest snapshot, whatever the time is. Off: the time chooses among the snapshots in
          memory.</Documentation>
        </IntVectorProperty>""")
    def SetFollow(self, follows):
        if bool(follows) != self._follows:
            self._follows = bool(follows)
            self.Modified()

    @smproperty.xml("""
        <Property name="Refresh" command="Refresh" panel_widget="command_button">
          <Documentation>Ask the server what it has.</Documentation>
        </Property>""")
    def Refresh(self):
        self.Modified()

    # A time is the number in a file's name.
    @smproperty.doublevector(name="TimestepValues", information_only="1", si_class="vtkSITimeStepsProperty")
    def GetTimestepValues(self):
        return [snapshot["step"] for snapshot in self._snapshots]

    # It says what the shown file is taken for, by which rule, what was guessed and what is left out.
    @smproperty.stringvector(name="Contents", information_only="1")
    def GetContents(self):
        return self._shown.contents if self._shown else ""

    def GetNeedsUpdate(self):
        """Whether there is something newer to show. ParaView's window asks a few times a second, and waits: seldom and
        shortly for a server that does not answer."""
        if time.monotonic() < self._asks_again:
            return False
        try:
            self._watcher = self._watcher or dsm.Viewer(self._contact, timeout=0.5)
            newest = self._watcher.newest_run(self._stream)[-1:]
        except dsm.Error:
            self._asks_again = time.monotonic() + 5
            return False
        if not newest or (self._snapshots and newest[0]["number"] == self._snapshots[-1]["number"]):
            return False
        self.Modified()
        return True

    def _ask_now(self):
        self._viewer = self._viewer or dsm.Viewer(self._contact)
        return self._viewer.newest_run(self._stream)

    def _chosen(self, information):
        if self._follows or not information.Has(vtkStreamingDemandDrivenPipeline.UPDATE_TIME_STEP()):
            return self._snapshots[-1]
        wanted = information.Get(vtkStreamingDemandDrivenPipeline.UPDATE_TIME_STEP())
        before = [snapshot for snapshot in self._snapshots if snapshot["step"] <= wanted]
        return (before or self._snapshots)[-1 if before else 0]

    def _show(self, snapshot):
        """The snapshot, opened."""
        if self._shown is None or self._number != snapshot["number"]:
            self._files = self._files or dsm.vtk.Files(self._contact)
            self._shown = self._files.open(snapshot)
            self._number = snapshot["number"]
        return self._shown

    def RequestDataObject(self, _request, _inputs, outputs):
        information = outputs.GetInformationObject(0)
        try:
            self._snapshots = _on_all_ranks(self._ask_now)
            dsm.attach(self._contact)
            if not self._snapshots:
                raise dsm.Error(f"the server of {self._contact} has no snapshot yet", dsm.REFUSED)
            made = self._show(self._chosen(information)).new_data()
        except dsm.Error as error:
            return self._failed(error)
        there = vtkDataObject.GetData(information)
        if there is None or there.GetClassName() != made.GetClassName():
            information.Set(vtkDataObject.DATA_OBJECT(), made)
        return 1

    def RequestInformation(self, _request, _inputs, outputs):
        information = outputs.GetInformationObject(0)
        information.Set(self.CAN_HANDLE_PIECE_REQUEST(), 1)
        if not self._snapshots:
            return 0
        try:
            self._show(self._chosen(information)).describe(information)
        except dsm.Error as error:
            return self._failed(error)
        steps = self.GetTimestepValues()
        information.Set(vtkStreamingDemandDrivenPipeline.TIME_STEPS(), steps, len(steps))
        information.Set(vtkStreamingDemandDrivenPipeline.TIME_RANGE(), [min(steps), max(steps)], 2)
        return 1

    def RequestData(self, _request, _inputs, outputs):
        information = outputs.GetInformationObject(0)
        piece = information.Get(vtkStreamingDemandDrivenPipeline.UPDATE_PIECE_NUMBER())
        pieces = information.Get(vtkStreamingDemandDrivenPipeline.UPDATE_NUMBER_OF_PIECES())
        try:
            snapshot = self._chosen(information)
            output = vtkDataObject.GetData(information)
            output.ShallowCopy(self._show(snapshot).data(piece, pieces))
        except dsm.Error as error:
            return self._failed(error)
        output.GetInformation().Set(vtkDataObject.DATA_TIME_STEP(), snapshot["step"])
        return 1

    @staticmethod
    def _failed(error):
        from paraview import print_error

        print_error(str(error))
        return 0
