#pragma once

#include <cstddef>
#include <cstring>
#include <new>

#include "dbandit/core/aligned.hpp"

namespace dbandit::kernel {

/// Memory of a block. A part declares its rows in one function, which runs twice: without memory to add up what they take, then with it to
/// be given them. So what is promised is what is allocated. Rows lie one after the other, on cache lines.
class Rows {
 public:
  explicit Rows(unsigned char* memory = nullptr) : memory_(memory) {}

  /// A row of zeros.
  template <class T>
  void operator()(T*& row, std::size_t count) {
    row = static_cast<T*>(take(count * sizeof(T), true));  // NOLINT(bugprone-sizeof-expression): a row of pointers has them
  }
  /// One whose elements are as wide as the problem asks for.
  void operator()(void*& row, std::size_t count, std::size_t width) { row = take(count * width, true); }
  /// Room that is left as it is: pages that are never written to are never there.
  template <class T>
  T* room(std::size_t count) {
    return static_cast<T*>(take(count * sizeof(T), false));
  }

  [[nodiscard]] std::size_t bytes() const { return used_; }

 private:
  void* take(std::size_t bytes, bool zeroed) {
    void* const row = memory_ == nullptr ? nullptr : memory_ + used_;
    if (row != nullptr && zeroed) std::memset(row, 0, bytes);
    used_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return row;
  }

  unsigned char* memory_;
  std::size_t used_ = 0;
};

class Arena {
 public:
  Arena() = default;
  ~Arena() { release(); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  /// At least so many bytes; what they held is lost. Old and new are never held together.
  unsigned char* hold(std::size_t bytes) {
    if (bytes > size_) {
      release();
      memory_ = static_cast<unsigned char*>(::operator new (bytes, std::align_val_t{kAlignment}));
      size_ = bytes;
    }
    return memory_;
  }

 private:
  void release() {
    ::operator delete (memory_, std::align_val_t{kAlignment});
    memory_ = nullptr;
    size_ = 0;
  }
  unsigned char* memory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace dbandit::kernel
