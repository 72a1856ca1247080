// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMText_h
#define pqDSMText_h

#include <QString>

/// How the panel writes numbers, and what it reads out of names.
namespace pqDSMText
{
/// "1.50 GiB", "222 KiB": three digits.
QString bytes(qint64 size);

/// The step in a file's name: "12" for "out.00012.h5", "4.25" for "ez-000004.25.h5"; empty where
/// there is none.
QString step(const QString& fileName);

/// Lets a long path break over several lines.
QString breakable(QString text);
}

#endif
