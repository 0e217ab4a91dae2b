#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

namespace dbandit::cli {

/// The program that is running.
std::filesystem::path this_program();

/// What `bench --against` was given: a program, or a commit of the checkout in which we are, which is then built in
/// build/against/COMMIT, where it is found the next time. `told` is called with what is being done. Throws UserError.
std::filesystem::path other_program(const std::string& given, const std::stop_token& stop,
                                    const std::function<void(std::string_view)>& told);

}  // namespace dbandit::cli
