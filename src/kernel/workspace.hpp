#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "dbandit/core/aligned.hpp"
#include "dbandit/model/delay_table.hpp"
#include "dbandit/model/experiment.hpp"
#include "dbandit/model/geometric_fit.hpp"
#include "kernel/state.hpp"

namespace dbandit::kernel {

/// Storage of a block's state; kept by a thread and reused, so that the blocks of a run after the first allocate nothing. What is kept
/// is said once, in the walk `lay_out`: it measures, and it hands out.
class Workspace {
 public:
  /// The state before round 1. Valid until the next call.
  State& prepare(const model::Experiment& experiment, const model::Block& block, model::Exposure exposure, model::Solver solver);

  /// As the last block left it.
  [[nodiscard]] const State& state() const { return state_; }

  /// How far the tables of a law are read; −1: not at all.
  struct TableRead {
    const model::DelayLaw* law = nullptr;
    std::int64_t survival = -1, cdf = -1;
  };
  /// Bytes that `prepare` would hold for so many lanes, and on top of them the tables, which it adds to the list.
  double measure(const model::Experiment& experiment, std::size_t lanes, model::Exposure exposure, std::vector<TableRead>& tables);

 private:
  class Arena {
   public:
    Arena() = default;
    ~Arena() { release(); }
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    /// At least so many bytes; what they held is lost when there were fewer.
    void hold(std::size_t bytes);
    [[nodiscard]] unsigned char* data() const { return memory_; }

   private:
    void release();
    unsigned char* memory_ = nullptr;
    std::size_t size_ = 0;
  };
  struct Fitted {
    model::DelayLaw law;
    std::int64_t last;
    double tolerance;
    model::GeometricFit fit;
  };
  struct LawParts {
    const std::vector<model::Mixture::Part>* parts;
    long double total;  ///< of their weights
  };

  template <class T>
  T* room(std::size_t count);
  template <class T>
  T* take(std::size_t count);
  template <class T, class Value>
  const T* constants(std::size_t count, Value value);
  model::DelayTable& table(const model::DelayLaw& law);
  const model::GeometricFit& fit(const model::DelayLaw& law, std::int64_t last, double tolerance);
  [[nodiscard]] model::Mixture::Part part(std::size_t i) const;

  void describe(const model::Experiment& experiment, const model::Block& block, model::Exposure exposure, model::Solver solver);
  void prepare_tracking(const model::Experiment& experiment, model::Exposure exposure);
  void prepare_decay(const model::Geometric& law, const model::Window& window);
  void prepare_parts(const model::Experiment& experiment);
  void prepare_stages(const model::NegativeBinomial& law);
  void prepare_world(const model::Experiment& experiment);

  void lay_out(const model::Experiment& experiment);
  void prepare_constants(const model::Experiment& experiment);
  void prepare_part_rows(const model::Experiment& experiment);
  void prepare_stage_rows(const model::NegativeBinomial& law, const model::Window& window);
  void prepare_rows();
  template <class Entry>
  void prepare_calendar(Calendar<Entry>& calendar);

  void prepare_start(model::StartOrder order);

  State state_;
  model::DelayLaw law_{model::Geometric{0}};
  std::vector<std::unique_ptr<model::DelayTable>> tables_;  ///< of the laws met so far: they outlive a block
  std::vector<std::unique_ptr<Fitted>> fits_;
  std::vector<TableRead> reads_;
  std::vector<LawParts> parts_;
  Arena arena_;
  std::size_t arena_used_ = 0;
  bool measuring_ = false;
  std::uint64_t* start_key_ = nullptr;
  std::uint16_t* start_position_ = nullptr;
};

/// The one that `simulate` uses.
Workspace& workspace_of_this_thread();

/// Lanes of a block that are advanced together, so that their state stays in the nearest caches; a function of the experiment alone.
std::size_t lanes_together(const model::Experiment& experiment, model::Exposure exposure);

}  // namespace dbandit::kernel
