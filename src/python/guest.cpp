#include "guest.hpp"

#include <fmt/format.h>
#include <pybind11/numpy.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "dbandit/core/error.hpp"
#include "rng/gamma.hpp"

namespace py = pybind11;

namespace dbandit::python {
namespace {

constexpr std::int64_t kStreams = 1 << 24, kRounds = std::int64_t{1} << 32;

using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// What a decision may be based on. Copies: the policy may keep what it is given.
struct Books {
  py::array pulls, exposure, conversions, pending;
};

/// The uniforms of some replicas by address: what a policy draws depends neither on threads nor on how replicas are put into blocks.
struct Rng {
  std::uint64_t seed = 0, first = 0;
  std::size_t lanes = 0;

  [[nodiscard]] py::array_t<std::int64_t> replicas() const {
    py::array_t<std::int64_t> numbers(static_cast<py::ssize_t>(lanes));
    for (std::size_t lane = 0; lane < lanes; ++lane) numbers.mutable_data()[lane] = static_cast<std::int64_t>(first + lane);
    return numbers;
  }

  [[nodiscard]] py::array_t<double> uniform(std::int64_t round, const py::object& stream) const {
    if (round < 0 || round >= kRounds) throw UserError(fmt::format("t: {} is not a round from 0 to {}", round, kRounds - 1));
    const py::array given = py::array::ensure(stream);
    if (!given || given.ndim() > 1 || (given.dtype().kind() != 'i' && given.dtype().kind() != 'u')) refuse_stream(py::str(stream));
    const py::array_t<std::int64_t, py::array::c_style | py::array::forcecast> streams(given);
    std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(lanes)};
    if (given.ndim() == 1) shape.insert(shape.begin(), streams.shape(0));
    py::array_t<double> drawn(shape);
    for (py::ssize_t row = 0; row < streams.size(); ++row) {
      const std::int64_t number = streams.data()[row];
      if (number < 0 || number >= kStreams) refuse_stream(fmt::format("{}", number));
      double* const into = drawn.mutable_data() + row * static_cast<py::ssize_t>(lanes);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        into[lane] = sim::guest_uniform(seed, first + lane, round, static_cast<std::uint32_t>(number));
      }
    }
    return drawn;
  }

  [[nodiscard]] py::array_t<double> gamma(std::int64_t round, const py::object& shape, const py::object& stream) const {
    py::array_t<double> drawn = uniform(round, stream);
    const Doubles shapes(py::module_::import("numpy").attr("broadcast_to")(shape, drawn.attr("shape")));
    for (py::ssize_t i = 0; i < drawn.size(); ++i) {
      const double wanted = shapes.data()[i], lower = drawn.data()[i];
      if (!(wanted > 0) || std::isinf(wanted)) throw UserError(fmt::format("shape: {} is not a number above 0", wanted));
      drawn.mutable_data()[i] = rng::gamma_quantile(wanted, lower, 1 - lower);
    }
    return drawn;
  }

 private:
  [[noreturn]] static void refuse_stream(const std::string& what) {
    throw UserError(fmt::format("stream: {} is not an integer from 0 to {}, or a list of them", what, kStreams - 1));
  }
};

std::string shape_text(const py::array& array) {
  std::string text;
  for (py::ssize_t axis = 0; axis < array.ndim(); ++axis) text += fmt::format("{}{}", axis > 0 ? " x " : "", array.shape(axis));
  return text.empty() ? "a scalar" : text;
}

/// Rows [arm][lane] as an array, a copy.
template <class Shown, class T>
py::array_t<Shown> array(std::span<const T> rows, std::size_t arms, std::size_t lanes) {
  py::array_t<Shown> shown({static_cast<py::ssize_t>(arms), static_cast<py::ssize_t>(lanes)});
  std::copy(rows.begin(), rows.end(), shown.mutable_data());
  return shown;
}

class PythonPolicy {
 public:
  PythonPolicy(std::string name, py::object choose, std::shared_ptr<PythonHeartbeat> heartbeat, std::shared_ptr<Played> played)
      : name_(std::move(name)), choose_(std::move(choose)), heartbeat_(std::move(heartbeat)), played_(std::move(played)) {}

  void operator()(const sim::GuestView& view, std::span<double> indices) const {
    const py::gil_scoped_acquire acquire;
    played_->rounds += static_cast<double>(view.lanes);
    heartbeat_->tick(played_->rounds, played_->all);
    const auto rows = [&](std::span<const double> of) { return array<double>(of, view.arms, view.lanes); };
    const py::object answer = choose_(view.round, Books{rows(view.pulls), rows(view.exposure), rows(view.conversions), rows(view.pending)});
    const py::array given = py::array::ensure(answer);
    if (!given) refuse(view, "what is no array");
    const char kind = given.dtype().kind();
    const auto lanes = static_cast<py::ssize_t>(view.lanes), arms = static_cast<py::ssize_t>(view.arms);
    if (given.ndim() == 1 && given.shape(0) == lanes && (kind == 'i' || kind == 'u')) {
      take_arms(py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>(given), view, indices);
    } else if (given.ndim() == 2 && given.shape(0) == arms && given.shape(1) == lanes && (kind == 'i' || kind == 'u' || kind == 'f')) {
      take_indices(Doubles(given), view, indices);
    } else {
      refuse(view, fmt::format("{} of {}", shape_text(given), py::str(given.dtype()).cast<std::string>()));
    }
  }

 private:
  [[noreturn]] void refuse(const sim::GuestView& view, const std::string& what) const {
    throw UserError(
        fmt::format("{}: {} in round {} is not an arm for each replica ({} integers from 0 to {}) or an index for each arm and replica "
                    "({} x {} numbers)",
                    name_, what, view.round, view.lanes, view.arms - 1, view.arms, view.lanes));
  }

  /// The arm that is played has index 1 among zeros.
  void take_arms(const py::array_t<std::int64_t>& arms, const sim::GuestView& view, std::span<double> indices) const {
    std::ranges::fill(indices, 0.0);
    for (std::size_t lane = 0; lane < view.lanes; ++lane) {
      const std::int64_t arm = arms.data()[lane];
      if (arm < 0 || arm >= static_cast<std::int64_t>(view.arms)) refuse(view, fmt::format("arm {}", arm));
      indices[static_cast<std::size_t>(arm) * view.lanes + lane] = 1;
    }
  }

  void take_indices(const Doubles& given, const sim::GuestView& view, std::span<double> indices) const {
    std::copy_n(given.data(), indices.size(), indices.begin());
    if (std::ranges::any_of(indices, [](double index) { return std::isnan(index); })) refuse(view, "an index that is NaN");
  }

  std::string name_;
  py::object choose_;
  std::shared_ptr<PythonHeartbeat> heartbeat_;
  std::shared_ptr<Played> played_;
};

}  // namespace

sim::Guest python_guest(const std::string& name, py::object policy, std::shared_ptr<PythonHeartbeat> heartbeat,
                        std::shared_ptr<Played> played) {
  sim::Guest guest;
  guest.name = name;
  guest.replicas_at_once = 4096;
  guest.choose = PythonPolicy(name, policy.attr("choose"), std::move(heartbeat), std::move(played));
  if (py::hasattr(policy, "start")) {
    guest.start = [start = policy.attr("start").cast<py::object>()](const sim::GuestStart& block) {
      const py::gil_scoped_acquire acquire;
      start(block.arms, block.lanes, Rng{block.seed, block.first, block.lanes});
    };
  }
  if (py::hasattr(policy, "observe")) {
    guest.observe = [observe = policy.attr("observe").cast<py::object>()](const sim::GuestRound& told) {
      const py::gil_scoped_acquire acquire;
      py::array_t<std::int64_t> played(static_cast<py::ssize_t>(told.lanes));
      std::ranges::copy(told.played, played.mutable_data());
      observe(told.round, played, array<std::int64_t>(told.disclosed, told.arms, told.lanes));
    };
  }
  return guest;
}

void declare_guest(py::module_& module) {
  py::class_<Books>(module, "Books", R"(What a policy of one's own knows of its replicas after round t - 1: arrays [arm, replica].

pulls: how often the arm was played
exposure: its pulls, each weighted by the chance that its conversion would be visible by now
conversions: those seen so far
pending: its pulls that may still convert, unconverted and with their window not over)")
      .def_readonly("pulls", &Books::pulls)
      .def_readonly("exposure", &Books::exposure)
      .def_readonly("conversions", &Books::conversions)
      .def_readonly("pending", &Books::pending);
  py::class_<Rng>(module, "Rng", R"(Random numbers by address: each is a function of (seed, replica, round, stream) and of nothing else.

A policy that draws from it plays the same whatever the threads and however replicas are grouped. Streams are the policy's own: use
one for each purpose. Two policies that draw the same address get the same number.)")
      .def_readonly("seed", &Rng::seed, "The seed of the run.")
      .def_property_readonly("replicas", &Rng::replicas, "The numbers of the replicas, [replica].")
      .def("uniform", &Rng::uniform, py::arg("t"), py::arg("stream") = 0,
           "Uniforms of (0, 1): [replica], or for a list of streams [stream, replica].")
      .def("gamma", &Rng::gamma, py::arg("t"), py::arg("shape"), py::arg("stream") = 0,
           "Gamma variates of scale 1, from the uniforms of the same address; shape has that form or broadcasts to it.");
}

}  // namespace dbandit::python
