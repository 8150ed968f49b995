#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ff::cli {

/// What is wrong with the arguments, as a sentence that names the culprit.
Error mistake(std::string sentence);

/// What was said behind the name of a command, by the names of its table entry.
class Arguments {
  public:
    void add(std::string name, std::string value) {
        values_[std::move(name)].push_back(std::move(value));
    }
    void set_rest(std::vector<std::string> rest) { rest_ = std::move(rest); }

    bool has(std::string_view name) const { return values_.contains(std::string(name)); }
    /// The last one given, or `otherwise`.
    std::string text(std::string_view name, std::string_view otherwise = {}) const;
    std::vector<std::string> all(std::string_view name) const;
    /// `invalid_input` naming the option.
    Result<std::int64_t> integer(std::string_view name, std::int64_t otherwise, std::int64_t least,
                                 std::int64_t most) const;
    /// `key=value` of every one given.
    Result<std::map<std::string, std::string>> pairs(std::string_view name) const;
    /// `key=number` of every one given.
    Result<std::map<std::string, std::int64_t>> amounts(std::string_view name) const;
    const std::vector<std::string>& rest() const { return rest_; }

  private:
    std::map<std::string, std::vector<std::string>> values_{};
    std::vector<std::string> rest_{};
};

}  // namespace ff::cli
