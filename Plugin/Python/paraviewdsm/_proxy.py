# SPDX-License-Identifier: BSD-3-Clause
"""Settings, commands and information of a proxy, by the names in the plugin's XML."""

from paraview import servermanager

from ._errors import Error

# The types of properties; others are integers.
_KINDS = {"vtkSMStringVectorProperty": str, "vtkSMDoubleVectorProperty": float}


def create(group, name):
    """A new proxy, as paraview.servermanager wraps it."""
    manager = servermanager.ProxyManager().SMProxyManager
    made = manager.NewProxy(group, name)
    if not made:
        raise Error(f"ParaView has no proxy {group}.{name}: the ParaView DSM plugin is not loaded")
    made.UpdateVTKObjects()
    return made


# The group of proxies in which ParaView's window keeps its server, and state files have it.
_GROUP = "dsm_servers"


def _registered():
    """The servers of this session, with whether each runs."""
    manager = servermanager.ProxyManager().SMProxyManager
    found = [manager.GetProxy(_GROUP, manager.GetProxyName(_GROUP, index))
             for index in range(manager.GetNumberOfProxies(_GROUP))]
    return [(proxy, bool(servermanager.vtkSMPropertyHelper(proxy, "Active").GetAsInt())) for proxy in found]


def registered_idle():
    """One that was not started; None if there is none."""
    return next((proxy for proxy, active in _registered() if not active), None)


def registered_active():
    """Returns the servers that run, that of the panel DSM first."""
    return [proxy for proxy, active in _registered() if active]


def register(proxy):
    manager = servermanager.ProxyManager().SMProxyManager
    manager.RegisterProxy(_GROUP, manager.GetUniqueProxyName(_GROUP, "DSMServer"), proxy)
    return proxy


def _set(proxy, name, value):
    """None is the default that the XML has."""
    if value is None:
        proxy.GetProperty(name).ResetToXMLDefaults()
    else:
        kind = _KINDS.get(proxy.GetProperty(name).GetClassName(), int)
        servermanager.vtkSMPropertyHelper(proxy, name).Set(kind(value))


def assign(proxy, **values):
    """Sets properties and pushes them, changed or not."""
    for name, value in values.items():
        _set(proxy, name, value)
        proxy.UpdateProperty(name, True)


def change(proxy, **values):
    """Sets properties of a running DSM server, all at once; raises the error of that."""
    before = {}
    for name, value in values.items():
        helper = servermanager.vtkSMPropertyHelper(proxy, name)
        kind = _KINDS.get(proxy.GetProperty(name).GetClassName(), int)
        before[name] = {str: helper.GetAsString, float: helper.GetAsDouble, int: helper.GetAsIdType}[kind]()
        _set(proxy, name, value)
    proxy.UpdateVTKObjects()
    error = scalar(proxy, "CommandError")
    if error:
        # Else the refused values would be sent again with the next change.
        for name, value in before.items():
            _set(proxy, name, value)
        proxy.UpdateVTKObjects()
        raise Error(error)


def apply_again(proxy, values):
    """Gives a running DSM server settings that its proxy has already; raises the error of that."""
    for name, value in values.items():
        assign(proxy, **{name: value})
        error = scalar(proxy, "CommandError")
        if error:
            raise Error(error)


def ask_again(reader):
    """Lets a DSMReader ask for new snapshots."""
    reader.SMProxy.InvokeCommand("Refresh")
    reader.MarkModified(reader.SMProxy)
    reader.UpdatePipelineInformation()


def information(proxy, *names):
    """Returns the values of information properties, each as a list. Of a server, only these are made and travel: its
    status may be long. Of a reader, all others become current as well, such as its times."""
    found = []
    is_server = proxy.GetXMLName() == "DSMServer"
    if not is_server:
        proxy.UpdatePropertyInformation()
    for name in names:
        if is_server:
            proxy.UpdatePropertyInformation(proxy.GetProperty(name))
        helper = servermanager.vtkSMPropertyHelper(proxy, name)
        elements = range(helper.GetNumberOfElements())
        kind = proxy.GetProperty(name).GetClassName()
        if kind == "vtkSMStringVectorProperty":
            found.append([helper.GetAsString(index) for index in elements])
        elif kind == "vtkSMDoubleVectorProperty":
            found.append([helper.GetAsDouble(index) for index in elements])
        else:
            found.append([helper.GetAsIdType(index) for index in elements])
    return found


def scalar(proxy, *names):
    """The same where each property has one value."""
    values = [value[0] if value else None for value in information(proxy, *names)]
    return values[0] if len(names) == 1 else values


def command(proxy, name, **values):
    """Runs a command of the DSM server on all ranks; raises its error."""
    assign(proxy, **values)
    proxy.InvokeCommand(name)
    error = scalar(proxy, "CommandError")
    if error:
        raise Error(error)
