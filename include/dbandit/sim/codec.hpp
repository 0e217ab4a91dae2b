#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dbandit/sim/result.hpp"
#include "dbandit/sim/spec.hpp"

/// Statistics as bytes, exactly: doubles as their bits, little end first; counts in as few bytes as they need. Lengths that the
/// spec knows are not written, so reading allocates what the spec justifies and nothing that the bytes ask for.
namespace dbandit::sim {

/// A run as far as it is folded: the first blocks of its plan, and what they cost.
struct Prefix {
  std::size_t blocks = 0;
  BlockStats stats;
  Timing timing;
};

class Encoder {
 public:
  void number(std::uint64_t value);  ///< seven bits a byte, the lowest first
  void real(double value);           ///< eight bytes
  void text(std::string_view value);
  void stats(const BlockStats& value);
  void prefix(const Prefix& value);
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  void moments(const std::vector<stats::Moments>& values);
  void quantiles(const stats::Quantiles& value);
  std::string bytes_;
};

/// Reads what an Encoder wrote. Whatever the bytes are, every call ends, and what they did not hold reads as zero or as empty;
/// `is_whole` tells whether all was as it should be.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : left_(bytes) {}
  std::uint64_t number();
  double real();
  std::string text();
  BlockStats stats(const Spec& spec);
  Prefix prefix(const Spec& spec);
  /// Nothing was missing and nothing is left.
  [[nodiscard]] bool is_whole() const { return good_ && left_.empty(); }

 private:
  std::string_view take(std::size_t bytes);
  void moments(std::vector<stats::Moments>& values, std::size_t size);
  void quantiles(stats::Quantiles& value);
  std::string_view left_;
  bool good_ = true;
};

}  // namespace dbandit::sim
