#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>

#include "command.hpp"
#include "core/suggest.hpp"
#include "dbandit/report/directory.hpp"
#include "terminal.hpp"
#include "usage.hpp"

/// Not for users: the build calls it for what an installation puts beside the program.
namespace dbandit::cli {
namespace {

struct Flags {
  std::string what, out;
};

struct Form {
  std::string_view name;
  std::string (*text)(const std::vector<Usage>&);
};
constexpr auto kForms =
    std::to_array<Form>({{"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}, {"flags", flags_page}});

ExitCode generate(const Flags& flags) {
  const std::vector<Usage> all = usages();
  if (flags.what == "man") {
    std::vector<report::File> files;
    for (const Usage& usage : all) {
      files.push_back({usage.name.empty() ? "dbandit.1" : fmt::format("dbandit-{}.1", usage.name), manual_page(usage, all)});
    }
    report::Directory(flags.out.empty() ? "." : flags.out).write(files);
    return ExitCode::done;
  }
  const auto* form = std::ranges::find(kForms, flags.what, &Form::name);
  if (form == kForms.end())
    throw UserError(fmt::format("generate: {} is not one of: man bash zsh fish flags", dbandit::quoted(flags.what)));
  const std::string text = form->text(all);
  if (flags.out.empty()) {
    print(text);
    return ExitCode::done;
  }
  const std::filesystem::path file = flags.out;
  report::Directory(file.has_parent_path() ? file.parent_path() : ".")
      .write(std::array<report::File, 1>{{{file.filename().string(), text}}});
  return ExitCode::done;
}

}  // namespace

Action declare_generate(Usage& command) {
  auto flags = std::make_shared<Flags>();
  command.argument("WHAT", flags->what, choice({"man", "bash", "zsh", "fish", "flags"}), "man, bash, zsh, fish or flags");
  command.argument("OUT", flags->out, file("OUT"), "the file; of man the folder");
  return [flags] { return generate(*flags); };
}

}  // namespace dbandit::cli
