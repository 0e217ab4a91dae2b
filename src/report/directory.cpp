#include "dbandit/report/directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "core/file.hpp"
#include "dbandit/core/error.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "report/csv.hpp"
#include "report/json.hpp"
#include "report/risk.hpp"
#include "sim/sums.hpp"

namespace dbandit::report {
namespace {

namespace fs = std::filesystem;

/// Files under passing names; those that never took their own are removed.
class Staging {
 public:
  explicit Staging(fs::path directory) : directory_(std::move(directory)) {}
  ~Staging() {
    for (const auto& passing : passing_) ::unlink(passing.c_str());
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  void add(const File& file) {
    remove_abandoned(directory_, fmt::format(".{}.", file.name), ".tmp");
    const fs::path passing = directory_ / fmt::format(".{}.{}.tmp", file.name, ::getpid());
    Descriptor out(passing, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
    if (!out.is_open()) fail_io(directory_, "cannot be written to", errno);
    passing_.push_back(passing);
    if (!write_all(out, file.content) || !sync(out) || !out.close()) {
      fail_io(directory_ / file.name, "cannot be written", errno);
    }
  }

  void rename(std::span<const File> files) {
    for (const File& file : files) {
      if (!rename_file(passing_.front(), directory_ / file.name)) fail_io(directory_ / file.name, "cannot be written", errno);
      passing_.erase(passing_.begin());
    }
    const Descriptor folder(directory_, O_RDONLY | O_DIRECTORY);
    if (!folder.is_open() || !sync(folder)) fail_io(directory_, "cannot be written to", errno);
  }

 private:
  fs::path directory_;
  std::vector<fs::path> passing_;
};

}  // namespace

Directory::Directory(fs::path path) : path_(std::move(path)) {
  if (path_.empty()) throw UserError("'': not the name of a directory", ExitCode::io);
  std::error_code ignored;
  fs::path prefix;
  for (const fs::path& part : path_) {
    prefix /= part;
    if (::mkdir(prefix.c_str(), 0777) == 0) {
      created_.push_back(prefix);
    } else if (const int error = errno; !fs::is_directory(prefix, ignored)) {
      remove_created();
      fail_io(path_, "cannot be created", error == EEXIST ? ENOTDIR : error);
    }
  }
  try {
    Staging(path_).add({"probe", "x"});
  } catch (...) {
    remove_created();
    throw;
  }
}

Directory::~Directory() { remove_created(); }

void Directory::remove_created() {
  std::for_each(created_.rbegin(), created_.rend(), [](const fs::path& made) { ::rmdir(made.c_str()); });
  created_.clear();
}

void Directory::write(std::span<const File> files) {
  Staging staging(path_);
  for (const File& file : files) staging.add(file);
  staging.rename(files);
  created_.clear();
}

std::vector<File> result_files(const sim::Result& result, const Manifest& manifest) {
  return {{"spec.toml", sim::spec_text(result.spec)},     {"curve.csv", curve_csv(result)}, {"band.csv", band_csv(result)},
          {"distribution.csv", distribution_csv(result)}, {"risk.csv", risk_csv(result)},   {"summary.json", summary_json(result)},
          {"manifest.json", manifest_json(manifest)}};
}

double result_bytes(const sim::Spec& spec) {
  constexpr double number = 18;  // a double in its shortest exact form, with its separator; most have 17 digits and a point
  const auto records = static_cast<double>(spec->at.size());
  const auto kept = static_cast<double>(sim::spread_records(spec->at.size()).size());
  const auto arms = static_cast<double>(spec->theta.size());
  const auto policies = static_cast<double>(spec->policies.size());
  const auto measures = static_cast<double>(sim::kMeasures.size());
  const double head = 4000 + 2 * number * arms + 16 * records;  // the spec twice, the bounds, the manifest
  const double csv =
      measures * records * (4 * number + 35) + kept * (3 * number + 25) + kLastPercent * (number + 12) + 4 * (4 * number + 30);
  const double json = records * (20 + measures * (4 * number + 55)) + arms * (2 * number + 35) + 4 * number;
  return head + policies * (csv + json) + policies * policies / 2 * (4 * number + 90);
}

}  // namespace dbandit::report
