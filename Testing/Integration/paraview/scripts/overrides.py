# SPDX-License-Identifier: BSD-3-Clause
"""Files of which little is known, and what a user sets in place of what is guessed."""

import json

import numpy

RECIPE = {"name": "Mine", "when": ["/u"], "spacing": "2", "origin": "1 1 1", "arrays": {"wave": ["u[x,y,z]"]}}


def write(folder):
    # Not in ParaView, where h5py may bring another MPI.
    import h5py

    with h5py.File(f"{folder}/plain.h5", "w") as file:
        file["u"] = numpy.arange(24.0).reshape(2, 3, 4)
        file["rest"] = [1, 2, 3]
    with h5py.File(f"{folder}/picture.h5", "w") as file:
        file["rgb"] = numpy.arange(90.0).reshape(5, 6, 3)
    with h5py.File(f"{folder}/steps.h5", "w") as file:
        file["w"] = numpy.arange(720.0).reshape(3, 4, 5, 12)
        file["clock"] = [0.5, 1.0, 2.0]
    with h5py.File(f"{folder}/frames.h5", "w") as file:
        file.create_dataset("u", data=numpy.arange(60.0).reshape(3, 4, 5), maxshape=(None, 4, 5))
        file["time"] = [0.5, 1.0, 2.0]
    with h5py.File(f"{folder}/coordinates.h5", "w") as file:
        file["u"] = numpy.arange(20.0).reshape(4, 5)
        file["x"], file["y"] = [0, 1, 2, 4, 8.0], [0, 1, 2, 4.0]
    with h5py.File(f"{folder}/image.vtkhdf", "w") as file:
        file.create_group("VTKHDF")
    with open(f"{folder}/my.recipe", "w", encoding="utf-8") as file:
        json.dump(RECIPE, file)


# What is set of which file, and whether it has steps.
SHOWN = {
    "order": ("plain.h5", {"AxisOrder": "xyz", "Spacing": "0.5 1 2", "Origin": "1 2 3"}),
    "cells": ("plain.h5", {"ValuesOf": "cells", "Spacing": "2", "TimeFrom": "7.5"}),
    "components": ("picture.h5", {"AxisOrder": "yxc"}),
    "steps": ("steps.h5", {"AxisOrder": "tzyx", "TimeFrom": "/clock"}),
    "frames": ("frames.h5", {}),
    "frames by order": ("frames.h5", {"AxisOrder": "tyx"}),
    "block": ("frames.h5", {"AxisOrder": "zyx"}),
    "indices": ("coordinates.h5", {"GridCoordinates": "indices"}),
    "recipe": ("plain.h5", {"Recipe": json.dumps(RECIPE)}),
    "recipe file": ("plain.h5", {"RecipeFile": "{folder}/my.recipe"}),
    "recipe and more": ("plain.h5", {"Recipe": json.dumps(RECIPE), "Spacing": "3"}),
}
REFUSED = {
    "zero": ("plain.h5", {"Spacing": "0 1 1"}),
    "two": ("plain.h5", {"Origin": "1 2"}),
    "twice": ("plain.h5", {"AxisOrder": "zzx"}),
    "four": ("plain.h5", {"AxisOrder": "tzyx"}),
    "no time": ("plain.h5", {"TimeFrom": "@/Header/Time"}),
    "no JSON": ("plain.h5", {"Recipe": "{"}),
    "no file": ("plain.h5", {"RecipeFile": "{folder}/none.recipe"}),
    "another recipe": ("picture.h5", {"RecipeFile": "{folder}/my.recipe"}),
    "VTKHDF": ("image.vtkhdf", {"Spacing": "2"}),
}


def open_all(folder, look):
    # Where the files are written there is no ParaView.
    from paraview import simple

    from reporting import information, report

    def reader(file, values):
        made = simple.DSMFileReader(FileName=f"{folder}/{file}")
        for name, value in values.items():
            setattr(made, name, value.replace("{folder}", folder))
        return made

    for name, (file, values) in SHOWN.items():
        look(f"set {name}", reader(file, values))
    # As it is guessed, then set, and guessed again: of one reader.
    changing = reader("plain.h5", {})
    lists = []
    for spacing in "", "0.5", "":
        changing.Spacing = spacing
        changing.UpdatePipeline()
        told = {one: information(changing, one) for one in ("Guesses", "SetByUser", "LeftOut", "RecognisedBecause")}
        lists.append([told, changing.GetDataInformation().GetBounds()])
    report(lists=lists)
    errors = {}
    for name, (file, values) in REFUSED.items():
        refused = reader(file, values)
        refused.UpdatePipeline()
        errors[name] = [information(refused, "ErrorText"), refused.GetDataInformation().GetNumberOfPoints()]
    report(errors=errors)
