#include "sim/until.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/split_list.hpp"
#include "core/suggest.hpp"
#include "core/text.hpp"
#include "dbandit/core/error.hpp"
#include "sim/keys.hpp"
#include "sim/sums.hpp"

namespace dbandit::sim {

namespace {

std::size_t first_look(const Plan& plan) {
  constexpr std::size_t fewest_replicas = 1024;  // below that Student's interval trusts a skewed sample too much
  return std::max<std::size_t>(1, fewest_replicas / plan.block_lanes);
}

}  // namespace

Until Until::parse(std::string_view text) {
  constexpr std::string_view kPaired = "paired:";
  const std::size_t colon = std::min(text.rfind(':'), text.size());
  std::string_view what = text.substr(0, colon), width = text.substr(std::min(colon + 1, text.size()));
  Until until;
  until.percent = width.ends_with('%');
  bool is_rule = until.percent;
  if (until.percent) width.remove_suffix(1);
  for (const std::string_view sign : {"+-", "±"}) {  // the second is not for files, which are plain ASCII
    if (is_rule || !width.starts_with(sign)) continue;
    width.remove_prefix(sign.size());
    is_rule = true;
  }
  until.width = parse_number<double>(width).value_or(0);
  is_rule = is_rule && until.width > 0 && !std::isinf(until.width);
  if (what.starts_with(kPaired)) {
    what.remove_prefix(kPaired.size());
    const std::vector<std::string_view> pair = split_list(what);
    until.a = pair.front();
    until.b = pair.back();
    is_rule = is_rule && pair.size() == 2 && !until.a.empty() && !until.percent;  // a difference may be zero: no share of it is a precision
  } else {
    is_rule = is_rule && what == "regret";
  }
  if (!is_rule) throw UserError(fmt::format("{} is not {}", dbandit::quoted(text), allowed("until")));
  return until;
}

std::string Until::text() const {
  const std::string size = percent ? fmt::format("{}%", width) : fmt::format("+-{}", width);
  return a.empty() ? "regret:" + size : fmt::format("paired:{},{}:{}", a, b, size);
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
  const std::optional<Until>& until = spec->until;
  const Plan plan = sim::plan(spec);
  const std::size_t blocks = sums.blocks.count();
  if (!until || blocks == 0 || next_look(plan, blocks - 1) != blocks || !sums.blocks.contains({0, blocks})) return false;
  const double alpha = look_alpha(look_number(plan, blocks));
  const auto is_known = [&](const stats::ExactSums& value) {
    const stats::Moments moments = value.moments(plan.grid);
    return stats::half_width(moments, alpha) <= (until->percent ? until->width / 100 * std::abs(moments.mean) : until->width);
  };
  if (until->a.empty()) {
    return std::ranges::all_of(sums.policies, [&](const PolicySums& policy) { return is_known(policy.regret.back()); });
  }
  const auto place = [&](const std::string& id) {
    return static_cast<std::size_t>(std::ranges::find(spec->policies, id, &Policy::id) - spec->policies.begin());
  };
  const auto [low, high] = std::minmax({place(until->a), place(until->b)});
  return is_known(sums.final_pair(pair_index(low, high, spec->policies.size())));
}

}  // namespace dbandit::sim
