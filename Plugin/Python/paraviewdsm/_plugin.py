# SPDX-License-Identifier: BSD-3-Clause
"""Finds the plugin, which lies beside this package in the build folder as well as installed."""

import pathlib

from paraview import servermanager

from ._errors import Error

PATH = pathlib.Path(__file__).resolve().parent.parent / "ParaViewDSM" / "ParaViewDSM.so"


def load():
    """Loads the plugin where it is not loaded yet: in ParaView's server, and in this client of it.

    Its sources are then in paraview.simple, as paraview.simple.DSMReader. ParaView must run on a
    machine where this package has the same path. Server() calls it.
    """
    from paraview import simple  # connects to the built-in server where there is no other yet

    session = servermanager.ActiveConnection.Session
    manager = servermanager.vtkSMProxyManager.GetProxyManager()
    definitions = manager.GetSessionProxyManager(session).GetProxyDefinitionManager()
    if definitions.HasDefinition("misc", "DSMServer"):
        return
    if not PATH.exists():
        raise Error(
            f"the ParaView DSM plugin is not beside its Python package: there is no {PATH}. Set "
            "PYTHONPATH to <build>/lib/paraview-dsm, or to lib/paraview-dsm of the installation"
        )
    plugins = manager.GetPluginManager()
    # All ranks of the server first. In one process, or where ranks run side by side, that is all.
    loaded = plugins.LoadRemotePlugin(str(PATH), session)
    if servermanager.ActiveConnection.IsRemote():
        loaded = plugins.LoadLocalPlugin(str(PATH)) and loaded
    simple.LoadPlugins()  # loads nothing more; tells paraview.simple what there is now
    if not loaded:
        raise Error(
            f"ParaView cannot load {PATH}. It must be built for this ParaView, with its MPI and "
            "HDF5; PARAVIEW_LOG_PLUGIN_VERBOSITY=INFO makes ParaView say more"
        )
