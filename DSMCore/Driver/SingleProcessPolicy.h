// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace dsm
{

/// Which collective transfers are carried out by one process (DSM_SINGLE_PROCESS).
enum class SingleProcessPolicy
{
  Off,   ///< none
  Asked, ///< those that the program or HDF5 wants so
  Same   ///< also all others of which the ranks find that they ask for the same bytes
};

const char* SingleProcessText(SingleProcessPolicy policy);

/// Throws Error(Usage) that names `what` for other texts.
SingleProcessPolicy SingleProcessFromText(const std::string& text, const std::string& what);

/// As the environment says; Asked where that says nothing.
SingleProcessPolicy SingleProcessFromEnvironment();

}
