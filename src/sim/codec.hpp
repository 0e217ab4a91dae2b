#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dbandit/sim/result.hpp"
#include "dbandit/sim/spec.hpp"
#include "sim/sums.hpp"

/// Sums as bytes, exactly: integers and doubles as their bits, little end first; counts in as few bytes as they need. Lengths that the
/// spec knows are not written, so reading allocates what the spec justifies and nothing that the bytes ask for.
namespace dbandit::sim {

/// What is known of a run: its whole blocks, and the shorter one at the end, which counts only for this number of replicas.
struct RunState {
  RunSums whole, last;
  [[nodiscard]] RunSums total() const;
  [[nodiscard]] std::size_t blocks() const { return whole.blocks.count() + last.blocks.count(); }
};

class Encoder {
 public:
  void number(std::uint64_t value);  ///< seven bits a byte, the lowest first
  void real(double value);           ///< eight bytes
  void text(std::string_view value);
  void coverage(const Coverage& value);
  void state(const RunState& value);
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  template <class T>
  void raw(const T& value);
  void sums(const RunSums& value);
  void exact(const std::vector<stats::ExactSums>& values);
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
  Coverage coverage();
  /// Good only if it is of blocks that the spec has, with as many values as these have replicas.
  RunState state(const Spec& spec);
  /// Nothing was missing so far.
  [[nodiscard]] bool is_good() const { return good_; }
  /// Nothing was missing and nothing is left.
  [[nodiscard]] bool is_whole() const { return good_ && left_.empty(); }

 private:
  std::string_view take(std::size_t bytes);
  template <class T>
  void raw(T& value);
  RunSums sums(const Spec& spec, std::uint64_t lanes);
  void exact(std::vector<stats::ExactSums>& values, std::size_t size, std::uint64_t replicas);
  void quantiles(stats::Quantiles& value);
  std::string_view left_;
  bool good_ = true;
};

}  // namespace dbandit::sim
