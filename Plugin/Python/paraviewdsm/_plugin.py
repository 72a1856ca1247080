# SPDX-License-Identifier: BSD-3-Clause
"""Finds the plugin, which is beside this package, in the build folder and installed."""

import pathlib

from paraview import servermanager

from . import _states
from ._errors import Error

PATH = pathlib.Path(__file__).resolve().parent.parent / "ParaViewDSM" / "ParaViewDSM.so"


def load():
    """Loads the plugin in ParaView's server and in this client, if it is not loaded yet.

    Its sources are then in paraview.simple, such as paraview.simple.DSMReader. This package must have the
    same path on the server's machine. Server() calls this function.
    """
    _states.install()
    from paraview import simple  # connects to the built-in server if there is no connection

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
    # On all ranks of the server; if that is this process, this is all.
    loaded = plugins.LoadRemotePlugin(str(PATH), session)
    if servermanager.ActiveConnection.IsRemote():
        loaded = plugins.LoadLocalPlugin(str(PATH)) and loaded
    simple.LoadPlugins()  # loads nothing more; adds the plugin's proxies to paraview.simple
    if not loaded:
        raise Error(
            f"ParaView cannot load {PATH}. It must be built for this ParaView, with its MPI and "
            "HDF5; PARAVIEW_LOG_PLUGIN_VERBOSITY=INFO makes ParaView say more"
        )
