// SPDX-License-Identifier: BSD-3-Clause
#include "Client/RunLength.h"

#include <cmath>

namespace dsm
{

namespace
{
// Steps of this long ago weigh 1/e of the present ones.
constexpr double MemorySeconds = 30;
}

void RunLength::Note(std::int64_t step, Clock::time_point now)
{
  if (step <= this->Step)
  {
    this->Seconds = this->Steps = 0;
    this->Before.reset();
  }
  if (this->Before)
  {
    const double took = dsm::Seconds(now - *this->Before).count();
    const double weight = std::exp(-took / MemorySeconds);
    this->Seconds = this->Seconds * weight + took;
    this->Steps = this->Steps * weight + static_cast<double>(step - this->Step);
  }
  this->Step = step;
  this->Before = now;
}

double RunLength::SecondsLeft() const
{
  if (this->LastStep < 0 || this->Steps <= 0)
  {
    return -1;
  }
  const double left = static_cast<double>(this->LastStep - this->Step);
  return left <= 0 ? 0 : left * this->Seconds / this->Steps;
}

}
