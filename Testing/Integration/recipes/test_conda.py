# SPDX-License-Identifier: BSD-3-Clause
"""The conda recipe: rattler-build renders it for each MPI library. No channel is asked."""

import json
import sys

import pytest

from conftest import PACKAGING, SOURCE, fetched, run

# In a process of its own: the module is compiled, and prints what is wrong with a recipe itself.
RENDER = """
import json, sys
import rattler_build
recipe = rattler_build.Stage0Recipe.from_file(sys.argv[1] + "/recipe.yaml")
variants = rattler_build.VariantConfig.from_file(sys.argv[1] + "/variants.yaml")
print(json.dumps([variant.recipe.to_dict() for variant in recipe.render(variants)], default=str))
"""


@pytest.fixture(scope="module")
def rendered():
    folder = fetched("rattler-build.sh", "rattler-build")
    return json.loads(run([sys.executable, "-c", RENDER, PACKAGING / "conda"], PYTHONPATH=folder))


def test_has_a_package_for_each_mpi_library(rendered):
    assert [recipe["build"]["string"].split("_")[1] for recipe in rendered] == ["mpich", "openmpi"]
    for recipe, mpi in zip(rendered, ("mpich", "openmpi"), strict=True):
        assert recipe["package"]["name"] == "paraview-dsm"
        assert mpi in recipe["requirements"]["host"]
        assert f"hdf5 >=1.14 mpi_{mpi}_*" in recipe["requirements"]["host"]
        assert "gxx_linux-64" in recipe["requirements"]["build"]


def test_names_files_that_exist():
    text = (PACKAGING / "conda/recipe.yaml").read_text()
    assert "path: ../.." in text and (PACKAGING / "conda/../..").resolve() == SOURCE
    assert "script: build.sh" in text and (PACKAGING / "conda/build.sh").exists()
    assert "license_file: LICENSE" in text and (SOURCE / "LICENSE").exists()
