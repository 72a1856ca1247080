// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace dsm
{

/// A text that must not get into core dumps. It is in memory of its own, which the kernel leaves
/// out of them; copies share it. Thread safe, as it never changes.
class SecretText
{
public:
  SecretText() = default;
  /// Copies the text. The caller wipes what it has.
  SecretText(std::string_view text);
  SecretText(const std::string& text)
    : SecretText(std::string_view(text))
  {
  }

  /// The text, which ends with a zero behind its size. Valid as long as a copy of this exists.
  std::string_view View() const;

  bool operator==(const SecretText& other) const { return this->View() == other.View(); }

  /// Overwrites bytes, which the compiler does not leave out.
  static void Wipe(void* bytes, std::size_t size) noexcept;

private:
  struct Page;

  std::shared_ptr<const Page> Place;
};

}
