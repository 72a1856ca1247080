// SPDX-License-Identifier: BSD-3-Clause
// CLI11's functions, once for all programs. Included whole, they cost each program ten seconds of
// compiling; with CLI11_COMPILE its headers only declare them.
#include <CLI/CLI.hpp>

#include <CLI/impl/App_inl.hpp>
#include <CLI/impl/Argv_inl.hpp>
#include <CLI/impl/Config_inl.hpp>
#include <CLI/impl/Encoding_inl.hpp>
#if __has_include(<CLI/impl/ExtraValidators_inl.hpp>)
#  include <CLI/impl/ExtraValidators_inl.hpp> // CLI11 2.6 and newer
#endif
#include <CLI/impl/Formatter_inl.hpp>
#include <CLI/impl/Option_inl.hpp>
#include <CLI/impl/Split_inl.hpp>
#include <CLI/impl/StringTools_inl.hpp>
#if __has_include(<CLI/impl/TypeTools_inl.hpp>)
#  include <CLI/impl/TypeTools_inl.hpp> // CLI11 2.7.2 and newer
#endif
#include <CLI/impl/Validators_inl.hpp>
