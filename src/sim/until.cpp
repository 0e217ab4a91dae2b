#include "dbandit/sim/until.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace dbandit::sim {

namespace {

/// "0.5%", "+-0.1" or "±0.1".
bool read_width(std::string_view text, Until& until) {
  for (const std::string_view sign : {"+-", "±"}) {
    if (!text.starts_with(sign)) continue;
    text.remove_prefix(sign.size());
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), until.half_width);
    return error == std::errc() && end == text.data() + text.size();
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), until.half_width);
  until.half_width /= 100;
  until.relative = true;
  return error == std::errc() && std::string_view(end, text.data() + text.size()) == "%";
}

std::size_t first_look(const Plan& plan) {
  constexpr std::size_t fewest_replicas = 1024;  // below that Student's interval trusts a skewed sample too much
  return std::max<std::size_t>(1, fewest_replicas / plan.block_lanes);
}

}  // namespace

std::optional<Until> parse_until(std::string_view text) {
  Until until;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || !read_width(text.substr(colon + 1), until)) return std::nullopt;
  if (!(until.half_width > 0) || std::isinf(until.half_width)) return std::nullopt;
  std::string_view what = text.substr(0, colon);
  if (what == "regret") return until;
  constexpr std::string_view paired = "paired:";
  const std::size_t comma = what.find(',');
  // A difference may be zero: no share of it is a precision.
  if (!what.starts_with(paired) || comma == std::string_view::npos || until.relative) return std::nullopt;
  until.a = what.substr(paired.size(), comma - paired.size());
  until.b = what.substr(comma + 1);
  return until;
}

std::size_t next_look(const Plan& plan, std::size_t blocks) {
  std::size_t look = first_look(plan);
  while (look <= blocks) look *= 2;
  return std::min(look, plan.blocks);
}

std::size_t look_number(const Plan& plan, std::size_t blocks) {
  std::size_t number = 1;
  for (std::size_t look = first_look(plan); look < blocks; look *= 2) ++number;
  return number;
}

double look_alpha(std::size_t look) {
  const auto k = static_cast<double>(look);
  return 0.05 / (k * (k + 1));
}

bool is_precise(const Spec& spec, const RunSums& sums) {
  const auto until = parse_until(spec.until);
  const Plan plan = sim::plan(spec);
  const std::size_t blocks = sums.blocks.count();
  if (!until || blocks == 0 || next_look(plan, blocks - 1) != blocks || !sums.blocks.contains({0, blocks})) return false;
  const double alpha = look_alpha(look_number(plan, blocks));
  const auto is_known = [&](const stats::ExactSums& value) {
    const stats::Moments moments = value.moments(plan.grid);
    return stats::half_width(moments, alpha) <= until->half_width * (until->relative ? std::abs(moments.mean) : 1);
  };
  if (until->a.empty()) {
    return std::ranges::all_of(sums.policies, [&](const PolicySums& policy) { return is_known(policy.regret.back()); });
  }
  const auto place = [&](const std::string& id) {
    return static_cast<std::size_t>(std::ranges::find(spec.policies, id) - spec.policies.begin());
  };
  const auto [low, high] = std::minmax(place(until->a), place(until->b));
  return is_known(sums.paired[pair_index(low, high, spec.policies.size())]);
}

}  // namespace dbandit::sim
