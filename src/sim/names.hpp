#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "dbandit/sim/spec.hpp"

/// The words by which flags, spec files and reports call the values of an enumeration.
namespace dbandit::sim {

template <class E>
struct Named {
  std::string_view name;
  E value;
};

/// One list per enumeration, in the order in which messages and help show it.
template <class E>
inline constexpr bool kNames = false;
template <>
inline constexpr auto kNames<Engine> = std::to_array<Named<Engine>>(
    {{"simd", Engine::simd}, {"leap", Engine::leap}, {"rounds", Engine::rounds}, {"reference", Engine::reference}});
template <>
inline constexpr auto kNames<model::Exposure> = std::to_array<Named<model::Exposure>>({{"history", model::Exposure::history},
                                                                                       {"buffer", model::Exposure::buffer},
                                                                                       {"recursion", model::Exposure::recursion},
                                                                                       {"approx", model::Exposure::approx}});
template <>
inline constexpr auto kNames<model::Solver> = std::to_array<Named<model::Solver>>({{"bisection", model::Solver::bisection},
                                                                                   {"newton", model::Solver::newton},
                                                                                   {"direct", model::Solver::direct}});
template <>
inline constexpr auto kNames<model::Clamp> = std::to_array<Named<model::Clamp>>({{"one", model::Clamp::one}, {"none", model::Clamp::none}});
template <>
inline constexpr auto kNames<model::Ties> = std::to_array<Named<model::Ties>>({{"random", model::Ties::random},
                                                                               {"lowest", model::Ties::lowest}});
template <>
inline constexpr auto kNames<model::StartOrder> = std::to_array<Named<model::StartOrder>>({{"permuted", model::StartOrder::permuted},
                                                                                           {"fixed", model::StartOrder::fixed}});
template <>
inline constexpr auto kNames<model::Radius> = std::to_array<Named<model::Radius>>({{"covering", model::Radius::covering},
                                                                                   {"paper", model::Radius::paper}});

template <class E>
constexpr std::string_view name_of(E value) {
  for (const auto& named : kNames<E>) {
    if (named.value == value) return named.name;
  }
  return {};
}

template <class E>
constexpr std::optional<E> value_of(std::string_view name) {
  for (const auto& named : kNames<E>) {
    if (named.name == name) return named.value;
  }
  return std::nullopt;
}

/// "buffer", "approx:1e-06".
std::string exposure_text(const model::ExposureChoice& exposure);

}  // namespace dbandit::sim
