#include "kernel/exposure/exposure.hpp"

#include <algorithm>

namespace dbandit::kernel {

void Exposure::size(const Setup& setup, Books& books, bool wanted) {
  const model::Experiment& e = setup.experiment;
  const model::Delays &world = e.problem.delay, &believed = e.believed();
  const model::DelayLaw& law = believed.laws.front();
  const bool buffered = setup.exposure == model::Exposure::buffer, fitted = setup.exposure == model::Exposure::approx;
  const auto* const uniform = fitted ? nullptr : std::get_if<model::Uniform>(&law);
  const auto* const constant = fitted ? nullptr : std::get_if<model::Constant>(&law);
  const auto* const negative_binomial = fitted ? nullptr : std::get_if<model::NegativeBinomial>(&law);
  deficit.law = (wanted ? believed : world).geometric();
  if (buffered) {
    form = wanted ? Form::buffer : Form::none;
  } else if (deficit.law != nullptr) {
    form = Form::deficit;
  } else if (!wanted) {
    form = Form::none;
  } else if (uniform != nullptr) {
    form = Form::sums;
    sums.size(*uniform, e);
  } else if (constant != nullptr) {
    form = constant->delay > e.window.value_or(constant->delay) ? Form::none : Form::echo;
    echo.size(*constant, e);
  } else if (negative_binomial != nullptr) {
    form = Form::stages;
    stages.size(*negative_binomial);
  } else {
    form = Form::parts;
    parts.size(setup);
  }
  is_worlds = form != Form::none && (!wanted || believed == world);

  books.ring.length = books.window;
  if (!e.window && (form == Form::buffer || !is_worlds)) {
    // No delay is longer. Where every delay is 0, one round is as good as none.
    const std::int64_t longest = std::max(model::longest(world), buffered ? model::longest(believed) : 0);
    books.ring.length = std::max<std::int64_t>(1, std::min(longest, e.horizon));
  }
  const ArmIds narrow = books.arms <= 256 ? ArmIds::byte : ArmIds::word;
  books.ring.stored_as = form == Form::buffer ? ArmIds::real : narrow;
  sums.ring.stored_as = echo.ring.stored_as = narrow;
  if (form == Form::buffer) setup.tables.want_cdfs(believed, books.ring.length);
}

void Exposure::declare(Rows& rows, const Books& books) {
  with_form([&](auto& live) { live.declare(rows, books); });
  if (form != Form::deficit) rows(row, books.cells());
  rows(leaving, books.lanes);
}

}  // namespace dbandit::kernel
