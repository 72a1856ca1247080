# SPDX-License-Identifier: BSD-3-Clause
"""The version number stands in CMakeLists.txt. Recipes that must repeat it have the same."""

import ast
import re

import pytest

from conftest import PACKAGING, SPACK_PACKAGE, VERSION


def assigned(file):
    """Returns the strings that a file in Python assigns to names."""
    return {statement.targets[0].id: statement.value.value for statement in ast.parse(file.read_text()).body
            if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)}


def of_easybuild():
    (file,) = (PACKAGING / "easybuild").glob("*.eb")
    values = assigned(file)
    assert file.name.startswith(f"{values['name']}-{values['version']}-")
    return values["version"]


def of_spack():
    (version,) = re.findall(r'^    version\("([^"]*)", branch=', SPACK_PACKAGE.read_text(), re.MULTILINE)
    return version


def of_conda():
    return re.search(r'^  version: "(.*)"$', (PACKAGING / "conda/recipe.yaml").read_text(), re.MULTILINE)[1]


@pytest.mark.parametrize("recipe", [of_easybuild, of_spack, of_conda])
def test_recipe_has_the_project_version(recipe):
    assert recipe() == VERSION


def test_other_recipes_have_no_version():
    for name in ("Dockerfile", "apptainer/paraview-dsm.def", "debian/prerm"):
        assert VERSION not in (PACKAGING / name).read_text()
