// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/SharedMemory/StreamCopy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#  include <emmintrin.h>
#endif

namespace dsm
{

void StreamCopy(void* destination, const void* source, std::size_t size)
{
#ifdef __SSE2__
  constexpr std::size_t Line = 64;
  auto* to = static_cast<char*>(destination);
  const auto* from = static_cast<const char*>(source);
  // Whole cache lines only: a line written in part would be read after all.
  const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(to) % Line;
  const std::size_t head = std::min(size, misaligned == 0 ? 0 : Line - misaligned);
  std::memcpy(to, from, head);
  to += head;
  from += head;
  size -= head;
  for (; size >= Line; to += Line, from += Line, size -= Line)
  {
    const auto* in = reinterpret_cast<const __m128i*>(from);
    auto* out = reinterpret_cast<__m128i*>(to);
    const __m128i a = _mm_loadu_si128(in);
    const __m128i b = _mm_loadu_si128(in + 1);
    const __m128i c = _mm_loadu_si128(in + 2);
    const __m128i d = _mm_loadu_si128(in + 3);
    _mm_stream_si128(out, a);
    _mm_stream_si128(out + 1, b);
    _mm_stream_si128(out + 2, c);
    _mm_stream_si128(out + 3, d);
  }
  std::memcpy(to, from, size);
  _mm_sfence();
#else
  std::memcpy(destination, source, size);
#endif
}

}
