#include "study/click_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string>

#include "core/file.hpp"
#include "dbandit/core/error.hpp"
#include "dbandit/report/directory.hpp"
#include "reference/simulate.hpp"
#include "rng/candidates.hpp"
#include "rng/draws.hpp"

namespace dbandit::study {
namespace {

namespace fs = std::filesystem;

/// A file under a passing name, removed unless it took its own.
class PassingFile {
 public:
  PassingFile(const fs::path& folder, const std::string& name)
      : path_(folder / name),
        passing_(folder / fmt::format(".{}.{}.tmp", name, ::getpid())),
        file_(passing_, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW) {
    if (!file_.is_open()) fail_io(path_, "cannot be written", errno);
  }
  ~PassingFile() {
    if (!passing_.empty()) ::unlink(passing_.c_str());
  }
  PassingFile(PassingFile&& other) noexcept
      : path_(std::move(other.path_)), passing_(std::exchange(other.passing_, {})), file_(std::move(other.file_)) {}
  PassingFile& operator=(PassingFile&&) = delete;

  void write(std::string_view bytes) const {
    if (!write_all(file_, bytes)) fail_io(path_, "cannot be written", errno);
  }
  void close() {
    if (!sync(file_) || !file_.close()) fail_io(path_, "cannot be written", errno);
  }
  fs::path rename() {
    if (!rename_file(passing_, path_)) fail_io(path_, "cannot be written", errno);
    passing_.clear();
    return path_;
  }

 private:
  fs::path path_, passing_;
  Descriptor file_;
};

/// The name of a policy as that of a file.
std::string file_name(const sim::Policy& policy) {
  std::string name = policy.id;
  std::ranges::replace_if(
      name, [](char c) { return c == '/' || static_cast<unsigned char>(c) < ' '; }, '_');
  return name + ".csv";
}

}  // namespace

void for_each_click(const sim::Spec& spec, const sim::Policy& policy, std::uint64_t replicas, const kernel::Target* target,
                    const std::function<void(const Click&)>& visit) {
  const model::Experiment experiment = sim::experiment(spec, policy);
  const auto candidates = rng::Candidates::of(spec->seed, spec->theta);
  const std::int64_t horizon = spec->horizon;
  model::Paths paths;
  paths.traced = true;
  for (std::uint64_t first = 0; first < replicas; first += kLaneGroup) {
    const model::Block block{.first = first, .count = std::min<std::uint64_t>(kLaneGroup, replicas - first)};
    if (spec.engine() == sim::Engine::reference) {
      reference::simulate(experiment, block, spec.exposure(), paths);
    } else {
      (target != nullptr ? *target : kernel::best_target()).simulate(experiment, block, spec.exposure(), spec.solver(), paths, nullptr);
    }
    for (std::size_t lane = 0; lane < block.count; ++lane) {
      const std::uint64_t replica = first + lane;
      std::uint64_t mask = candidates.mask(replica, 0);
      for (std::int64_t t = 1; t <= horizon; ++t) {
        const auto round = static_cast<std::uint64_t>(t);
        if (round % rng::Candidates::kRounds == 0) mask = candidates.mask(replica, round / rng::Candidates::kRounds);
        const std::size_t arm = paths.actions[(round - 1) * paths.lanes + lane];
        const std::int64_t last = experiment.window ? std::min(horizon, t + *experiment.window) : horizon;
        Click click{replica, t, 0, last + 1, arm};
        if ((mask >> round % rng::Candidates::kRounds & 1) != 0 && candidates.mark(replica, round) < candidates.limit(spec->theta[arm])) {
          const std::int64_t delay = model::delay_at(spec->delay[arm], rng::open_uniform(rng::delay_bits(spec->seed, replica, round)));
          if (delay <= last - t) click.conversion = t + delay;
        }
        visit(click);
      }
    }
  }
}

std::vector<fs::path> write_click_logs(const sim::Spec& spec, std::uint64_t replicas, const kernel::Target* target, const fs::path& folder,
                                       const std::stop_token& stop) {
  report::Directory directory(folder);
  std::vector<PassingFile> files;
  for (const sim::Policy& policy : spec->policies) {
    PassingFile& file = files.emplace_back(folder, file_name(policy));
    constexpr std::size_t kBuffer = 1 << 20;
    std::string text = std::string(kClickHeading) + '\n';
    for_each_click(spec, policy, replicas, target, [&](const Click& click) {
      auto out = std::back_inserter(text);
      if (click.conversion > 0) {
        fmt::format_to(out, "{},{},{},{},{}\n", click.replica, click.arm, click.start, click.conversion, click.end);
      } else {
        fmt::format_to(out, "{},{},{},,{}\n", click.replica, click.arm, click.start, click.end);
      }
      if (text.size() >= kBuffer) {
        if (stop.stop_requested()) throw UserError("interrupted: no log was written", ExitCode::interrupted);
        file.write(text);
        text.clear();
      }
    });
    file.write(text);
    file.close();
  }
  std::vector<fs::path> paths;
  for (PassingFile& file : files) paths.push_back(file.rename());
  directory.keep();
  return paths;
}

}  // namespace dbandit::study
