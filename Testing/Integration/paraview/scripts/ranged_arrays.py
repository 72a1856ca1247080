# SPDX-License-Identifier: BSD-3-Clause
"""Compares the arrays of VTKHDF files with those that vtkHDFReader itself makes: names, places, roles, ranges."""

import os
import pathlib

from paraview import simple
from vtkmodules.vtkCommonDataModel import vtkDataSetAttributes
from vtkmodules.vtkIOHDF import vtkHDFReader

import paraviewdsm
from compare_data import differences, leaves_of
from reporting import report

folder = pathlib.Path(os.environ["DSM_TEST_FOLDER"])


def ranges_of(attributes, index):
    array = attributes.GetArray(index)
    found = []
    for component in range(-1, array.GetNumberOfComponents()):
        found += [array.GetRange(component), array.GetFiniteRange(component)]
        for get in (attributes.GetRange, attributes.GetFiniteRange):
            values = [0.0, 0.0]
            get(index, values, component)
            found.append(values)
    return [list(one) for one in found]


def told_of(leaf):
    """Returns what describes the arrays of a data set, and the names of their classes."""
    told, classes = [], []
    for attributes in (leaf.GetPointData(), leaf.GetCellData(), leaf.GetFieldData()):
        for index in range(attributes.GetNumberOfArrays()):
            array = attributes.GetAbstractArray(index)
            names = [array.GetComponentName(one) for one in range(array.GetNumberOfComponents())]
            facts = [array.GetName(), array.GetDataTypeAsString(), array.GetNumberOfTuples(), names]
            told.append(facts + (ranges_of(attributes, index) if array.IsA("vtkDataArray") else []))
            classes.append(array.GetClassName())
        if attributes.IsA("vtkDataSetAttributes"):
            active = [attributes.GetAbstractAttribute(role) for role in range(vtkDataSetAttributes.NUM_ATTRIBUTES)]
            told.append([one and one.GetName() for one in active])
    return told, classes


paraviewdsm.load()
wrong, replaced = [], {}
for file in sorted(folder.glob("*.vtkhdf")):
    reader = simple.DSMFileReader(FileName=str(file))
    reader.UpdatePipeline()
    mine = leaves_of(reader.GetClientSideObject().GetOutputDataObject(0))
    plain = vtkHDFReader()
    plain.SetFileName(str(file))
    plain.Update()
    theirs = leaves_of(plain.GetOutputDataObject(0))
    wrong += [f"{file.stem}: {text}" for text in differences(mine, theirs)]
    for index, (one, other) in enumerate(zip(mine, theirs, strict=True)):
        (facts, classes), (others, their_classes) = told_of(one), told_of(other)
        # An array of doubles of the readers is called vtkTypeFloat64Array.
        replaced[file.stem] = replaced.get(file.stem, 0) + sum(
            name != other for name, other in zip(classes, their_classes, strict=True))
        for told, expected in zip(facts, others, strict=True):
            if repr(told) != repr(expected):
                wrong.append(f"{file.stem} {index}: {told}, not {expected}")
report(wrong=wrong, replaced=replaced)
