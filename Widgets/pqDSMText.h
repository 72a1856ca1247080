// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMText_h
#define pqDSMText_h

#include <QString>

/// How the panel formats numbers, paths and tool tips.
namespace pqDSMText
{
/// "1.50 GiB", "222 KiB": three digits.
QString bytes(qint64 size);

/// "0.22 of 1.50 GiB": a part of a whole, in the unit of the whole.
QString bytesOf(qint64 part, qint64 whole);

/// The step in a file's name: "12" for "out.00012.h5", "4.25" for "ez-000004.25.h5"; empty if there
/// is none.
QString step(const QString& fileName);

/// "12:03:04", with the date if that is not today's. `time` is in seconds since 1970.
QString clock(double time);

/// "40 s", "5 minutes", "3 hours": two digits are enough.
QString duration(double seconds);

/// The text with places at which a long path can be wrapped.
QString breakable(QString text);

/// The text of a tool tip, in lines of at most 64 characters. Qt wraps no plain text there.
QString tip(const QString& text);
}

#endif
