// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMText_h
#define pqDSMText_h

#include <QString>

/// How the panel writes numbers.
namespace pqDSMText
{
/// "1.50 GiB", "222 KiB": three digits.
QString bytes(qint64 size);

/// Lets a long path break over several lines.
QString breakable(QString text);
}

#endif
