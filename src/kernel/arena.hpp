#pragma once

#include <cstddef>

#include "dbandit/core/aligned.hpp"

namespace dbandit::kernel {

/// Memory of a block. A part declares its rows in one function, which runs twice: without memory to add up what they take, then with it to
/// be given them. So what is promised is what is allocated, and rows lie one after the other on cache lines, zeroed.
class Rows {
 public:
  explicit Rows(unsigned char* memory = nullptr) : memory_(memory) {}

  template <class T>
  void operator()(T*& row, std::size_t count) {
    row = static_cast<T*>(take(count * sizeof(T)));
  }
  /// A row whose elements are as wide as the problem asks for.
  void operator()(void*& row, std::size_t count, std::size_t width) { row = take(count * width); }

  [[nodiscard]] std::size_t bytes() const { return used_; }

 private:
  void* take(std::size_t bytes) {
    void* const row = memory_ == nullptr ? nullptr : memory_ + used_;
    used_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return row;
  }

  unsigned char* memory_;
  std::size_t used_ = 0;
};

}  // namespace dbandit::kernel
