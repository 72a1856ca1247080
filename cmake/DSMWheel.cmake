# SPDX-License-Identifier: BSD-3-Clause
# In a build of the wheel (pyproject.toml), whose parts pip installs into several folders.
set(DSM_PYTHON_FOLDER "${SKBUILD_PLATLIB_DIR}")
set(DSM_BUNDLED_LICENCES "" CACHE PATH "Folder with the licences of the libraries that the wheel has: Packaging/wheel/dependencies.sh")
if(DSM_BUNDLED_LICENCES)
  install(DIRECTORY "${DSM_BUNDLED_LICENCES}/" DESTINATION "${SKBUILD_METADATA_DIR}/licenses/bundled")
endif()
