# SPDX-License-Identifier: BSD-3-Clause
"""Colour maps by the names of their presets."""


def apply_preset(colours, name):
    """Gives a colour map a preset by its name in ParaView 6.1: "Inferno" was "Inferno (matplotlib)" before.

    Raises LookupError if this ParaView has it by neither name.
    """
    from paraview import servermanager

    known = servermanager.vtkSMTransferFunctionPresets.GetInstance()
    for each in (name, f"{name} (matplotlib)"):
        if known.HasPreset(each):
            colours.ApplyPreset(each, True)
            return
    raise LookupError(f"this ParaView has no preset {name}")
