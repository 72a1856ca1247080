// SPDX-License-Identifier: BSD-3-Clause
#include "Recommend.h"

#include <cmath>
#include <map>
#include <tuple>

namespace bench
{

namespace
{
constexpr double Noise = 0.03;

using Choice = std::tuple<std::string, std::uint64_t, std::string>;
using Situation = std::tuple<int, int, int, std::uint64_t, bool, bool>;
}

std::optional<Recommendation> Recommend(const std::vector<Outcome>& outcomes)
{
  std::map<Situation, double> best;
  std::map<Choice, std::map<Situation, double>> rates;
  std::vector<Choice> order;
  for (const Outcome& outcome : outcomes)
  {
    const Cell& cell = outcome.What;
    const Choice choice(cell.Strategy, cell.BlockSize, cell.Transport);
    for (const auto* way : { &outcome.Write, &outcome.Read })
    {
      const double seconds = way->Driver.Median();
      if (!outcome.Trouble.empty() || seconds <= 0)
      {
        continue;
      }
      const Situation situation(
        cell.Hosts, cell.Writers, cell.Datasets, cell.Size, cell.Collective, way == &outcome.Write);
      const double rate = static_cast<double>(outcome.Bytes) / seconds;
      best[situation] = std::max(best[situation], rate);
      if (rates.find(choice) == rates.end())
      {
        order.push_back(choice);
      }
      rates[choice][situation] = rate;
    }
  }

  std::optional<Recommendation> winner;
  for (const Choice& choice : order)
  {
    const auto& measured = rates.at(choice);
    if (measured.size() != best.size())
    {
      continue;
    }
    double logarithms = 0;
    for (const auto& [situation, rate] : measured)
    {
      logarithms += std::log(rate / best.at(situation));
    }
    const double score = std::exp(logarithms / static_cast<double>(measured.size()));
    if (!winner || score > winner->Score * (1 + Noise))
    {
      winner = Recommendation{ std::get<0>(choice), std::get<1>(choice), std::get<2>(choice), score,
        static_cast<int>(measured.size()) };
    }
  }
  return winner;
}

}
