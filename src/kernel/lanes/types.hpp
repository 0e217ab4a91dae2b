#pragma once

#include <cstddef>
#include <cstdint>
#include <xsimd/xsimd.hpp>

namespace dbandit::kernel {

template <class Arch>
using Doubles = xsimd::batch<double, Arch>;
template <class Arch>
using Words = xsimd::batch<std::uint64_t, Arch>;
template <class Arch>
using Mask = xsimd::batch_bool<double, Arch>;

}  // namespace dbandit::kernel
