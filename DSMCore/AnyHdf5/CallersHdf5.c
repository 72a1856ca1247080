/* SPDX-License-Identifier: BSD-3-Clause */
/* Nothing: see CMakeLists.txt. */
