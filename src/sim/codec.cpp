#include "sim/codec.hpp"

#include <bit>
#include <cstring>
#include <utility>

#include "sim/plan.hpp"
#include "sim/sums.hpp"

namespace dbandit::sim {

static_assert(std::endian::native == std::endian::little);

RunSums RunState::total() const {
  RunSums both = whole;
  both.merge(last);
  return both;
}

void Encoder::number(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
  bytes_ += static_cast<char>(value);
}

template <class T>
void Encoder::raw(const T& value) {
  char copy[sizeof value];
  std::memcpy(copy, &value, sizeof value);
  bytes_.append(copy, sizeof value);
}

void Encoder::real(double value) { raw(value); }

void Encoder::text(std::string_view value) {
  number(value.size());
  bytes_ += value;
}

void Encoder::coverage(const Coverage& value) {
  number(value.intervals().size());
  for (const auto& [first, end] : value.intervals()) {
    number(first);
    number(end);
  }
}

void Encoder::exact(const std::vector<stats::ExactSums>& values) {
  for (const stats::ExactSums& value : values) {
    raw(value.sum);
    raw(value.squares);
    raw(value.squares_above);
  }
}

void Encoder::quantiles(const stats::Quantiles& value) {
  const auto bins = value.bins();
  number(bins.size());
  std::int64_t last = 0;  // bins ascend: their differences are short, but for a first one below 0, which wraps around
  for (const auto& [bin, count] : bins) {
    number(static_cast<std::uint64_t>(bin - std::exchange(last, bin)));
    number(count);
  }
}

void Encoder::sums(const RunSums& value) {
  coverage(value.blocks);
  if (value.blocks.count() == 0) return;
  real(value.timing.seconds);
  real(value.timing.replica_rounds);
  for (const double seconds : value.timing.policy_seconds) real(seconds);
  for (const PolicySums& policy : value.policies) {
    for (const Measure& measure : kMeasures) exact(policy.*measure.sums);
    exact(policy.pulls);
    for (const stats::Quantiles& spread : policy.spread) quantiles(spread);
    exact(policy.growth);
    exact(policy.gaps);
  }
  exact(value.paired);
  exact(value.paired_growth);
}

void Encoder::state(const RunState& value) {
  sums(value.whole);
  sums(value.last);
}

std::string_view Decoder::take(std::size_t bytes) {
  if (bytes > left_.size()) {
    good_ = false;
    left_ = {};
    return {};
  }
  const std::string_view taken = left_.substr(0, bytes);
  left_.remove_prefix(bytes);
  return taken;
}

template <class T>
void Decoder::raw(T& value) {
  const std::string_view bytes = take(sizeof value);
  if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof value);
}

std::uint64_t Decoder::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::string_view byte = take(1);
    if (byte.empty()) return 0;
    const auto bits = static_cast<unsigned char>(byte.front());
    value |= std::uint64_t{bits & 0x7fU} << shift;
    if (bits < 0x80) return value;
  }
  good_ = false;
  return 0;
}

double Decoder::real() {
  double value = 0;
  raw(value);
  return value;
}

std::string Decoder::text() { return std::string(take(number())); }

Coverage Decoder::coverage() {
  Coverage value;
  std::size_t last = 0;
  for (std::uint64_t left = number(); left > 0 && good_; --left) {
    const Interval interval{number(), number()};
    good_ = good_ && interval.first >= last && interval.first < interval.end && value.add(interval);
    last = interval.end + 1;  // two that touch would be one
  }
  return value;
}

void Decoder::exact(std::vector<stats::ExactSums>& values, std::size_t size, std::uint64_t replicas) {
  values.resize(size);
  for (stats::ExactSums& value : values) {
    value.count = replicas;
    raw(value.sum);
    raw(value.squares);
    raw(value.squares_above);
  }
}

void Decoder::quantiles(stats::Quantiles& value) {
  constexpr std::int64_t bins = 2047 << 10;  // of the finite positive doubles, by exponent and ten bits of the mantissa
  std::int64_t bin = 0;
  for (std::uint64_t left = number(); left > 0 && good_; --left) {
    bin = static_cast<std::int64_t>(static_cast<std::uint64_t>(bin) + number());
    const std::uint64_t count = number();
    if (bin <= -bins || bin >= bins) good_ = false;
    if (good_) value.add(static_cast<std::int32_t>(bin), count);
  }
}

RunSums Decoder::sums(const Spec& spec, std::uint64_t lanes) {
  RunSums value;
  value.blocks = coverage();
  const std::uint64_t replicas = value.blocks.count() * lanes;
  if (!good_ || replicas == 0) return value;
  const std::size_t policies = spec->policies.size(), compared = compared_records(spec->at).size();
  value.timing.seconds = real();
  value.timing.replica_rounds = real();
  for (std::size_t policy = 0; policy < policies; ++policy) value.timing.policy_seconds.push_back(real());
  for (std::size_t policy = 0; policy < policies && good_; ++policy) {
    PolicySums& sums = value.policies.emplace_back();
    for (const Measure& measure : kMeasures) exact(sums.*measure.sums, spec->at.size(), replicas);
    exact(sums.pulls, spec->theta.size(), replicas);
    sums.spread.resize(spread_records(spec->at.size()).size());
    for (stats::Quantiles& spread : sums.spread) quantiles(spread);
    exact(sums.growth, compared - 1, replicas);
    exact(sums.gaps, 2, replicas);
  }
  value.policies.resize(policies);
  const std::size_t pairs = policies * (policies - 1) / 2;
  exact(value.paired, pairs * compared, replicas);
  exact(value.paired_growth, pairs * (compared - 1), replicas);
  return value;
}

RunState Decoder::state(const Spec& spec) {
  const Plan plan = sim::plan(spec);
  RunState value;
  value.whole = sums(spec, plan.block_lanes);
  value.last = sums(spec, plan.replicas % plan.block_lanes);
  const Interval whole{0, plan.whole_blocks()}, last{plan.whole_blocks(), plan.blocks};
  good_ = good_ && Coverage(whole).contains(value.whole.blocks) && Coverage(last).contains(value.last.blocks);
  return value;
}

}  // namespace dbandit::sim
