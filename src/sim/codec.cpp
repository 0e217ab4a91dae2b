#include "dbandit/sim/codec.hpp"

#include <bit>
#include <cstring>
#include <utility>

namespace dbandit::sim {

static_assert(std::endian::native == std::endian::little);

void Encoder::number(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
  bytes_ += static_cast<char>(value);
}

void Encoder::real(double value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes_.append(raw, sizeof value);
}

void Encoder::text(std::string_view value) {
  number(value.size());
  bytes_ += value;
}

void Encoder::moments(const std::vector<stats::Moments>& values) {
  for (const stats::Moments& value : values) {
    real(value.count);
    real(value.mean);
    real(value.m2);
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

void Encoder::stats(const BlockStats& value) {
  for (const PolicyStats& policy : value.policies) {
    for (const Measure& measure : kMeasures) moments(policy.*measure.curve);
    moments(policy.pulls);
    for (const stats::Quantiles& spread : policy.spread) quantiles(spread);
  }
  moments(value.paired);
}

void Encoder::prefix(const Prefix& value) {
  number(value.blocks);
  real(value.timing.seconds);
  real(value.timing.replica_rounds);
  for (const double seconds : value.timing.policy_seconds) real(seconds);
  if (value.blocks > 0) stats(value.stats);
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
  const std::string_view raw = take(sizeof(double));
  double value = 0;
  if (!raw.empty()) std::memcpy(&value, raw.data(), sizeof value);
  return value;
}

std::string Decoder::text() { return std::string(take(number())); }

void Decoder::moments(std::vector<stats::Moments>& values, std::size_t size) {
  values.resize(size);
  for (stats::Moments& value : values) value = {real(), real(), real()};
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

BlockStats Decoder::stats(const Spec& spec) {
  BlockStats value;
  for (std::size_t policy = 0; policy < spec->policies.size() && good_; ++policy) {
    PolicyStats& stats = value.policies.emplace_back();
    for (const Measure& measure : kMeasures) moments(stats.*measure.curve, spec->at.size());
    moments(stats.pulls, spec->theta.size());
    stats.spread.resize(spread_records(spec->at.size()).size());
    for (stats::Quantiles& spread : stats.spread) quantiles(spread);
  }
  value.policies.resize(spec->policies.size());
  moments(value.paired, spec->policies.size() * (spec->policies.size() - 1) / 2);
  return value;
}

Prefix Decoder::prefix(const Spec& spec) {
  Prefix value;
  value.blocks = number();
  value.timing.seconds = real();
  value.timing.replica_rounds = real();
  for (std::size_t policy = 0; policy < spec->policies.size(); ++policy) value.timing.policy_seconds.push_back(real());
  if (value.blocks > 0) value.stats = stats(spec);
  return value;
}

}  // namespace dbandit::sim
