#pragma once

#include <string>

#include "dbandit/model/bounds.hpp"
#include "dbandit/report/manifest.hpp"
#include "dbandit/sim/result.hpp"

/// The JSON that other tools rely on. One line and a newline each; keys in a fixed order; a double is the shortest text
/// that reads back to it; what is not finite is null.
namespace dbandit::report {

class Json;

/// Parts that several documents have: {mean, stderr, ci95: [low, high]}, every key of a spec, and what manifest.json holds.
Json moments_value(const sim::Result& result, const stats::Moments& moments);
Json spec_value(const sim::Spec& spec);
Json manifest_value(const Manifest& manifest);

/// dbandit.result.v1: what `dbandit run --json` prints.
std::string result_json(const sim::Result& result, const Manifest& manifest);
/// The same without the manifest, hence the same bytes for the same spec: summary.json.
std::string summary_json(const sim::Result& result);
/// The manifest alone: manifest.json.
std::string manifest_json(const Manifest& manifest);

/// dbandit.bounds.v1: what `dbandit bounds --json` prints. "censored" is null without a window.
std::string bounds_json(const model::Problem& problem, const model::Window& window, double epsilon);

}  // namespace dbandit::report
