// SPDX-License-Identifier: BSD-3-Clause
#include "Base/SecretText.h"

#include "Base/Error.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

namespace dsm
{

struct SecretText::Page
{
  explicit Page(std::string_view text)
    : Size(text.size())
    , Memory(
        mmap(nullptr, text.size() + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
  {
    if (this->Memory == MAP_FAILED)
    {
      throw Error(Fault::System, "cannot keep a key in memory: {}", SystemText(errno));
    }
    madvise(this->Memory, this->Size + 1, MADV_DONTDUMP);
    std::memcpy(this->Memory, text.data(), text.size());
  }
  ~Page()
  {
    Wipe(this->Memory, this->Size);
    munmap(this->Memory, this->Size + 1);
  }
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  const std::size_t Size;
  void* const Memory;
};

SecretText::SecretText(std::string_view text)
  : Place(text.empty() ? nullptr : std::make_shared<const Page>(text))
{
}

std::string_view SecretText::View() const
{
  return this->Place
    ? std::string_view(static_cast<const char*>(this->Place->Memory), this->Place->Size)
    : std::string_view("");
}

void SecretText::Wipe(void* bytes, std::size_t size) noexcept
{
  explicit_bzero(bytes, size);
}

}
