#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace ff::calendar {

/// Reads the members of one object of a schedule's `when`. What is wrong is refused with the name
/// of the member. Valid while the document is.
class WhenFields {
  public:
    WhenFields(json::Value value, std::string place) : value_(value), place_(std::move(place)) {}

    std::string name_of(std::string_view member) const;
    std::string name_of(std::string_view member, std::size_t index) const;
    /// An object with members of these names only.
    Result<Done> only(std::initializer_list<std::string_view> known) const;
    std::optional<json::Value> find(std::string_view name) const { return value_.find(name); }
    /// Absent and null are empty; one text stands for a list of it.
    Result<std::vector<std::string>> texts(std::string_view name, std::size_t most) const;
    Result<std::vector<json::Value>> list(std::string_view name, std::size_t most) const;
    Result<std::optional<std::int64_t>> integer(std::string_view name, std::int64_t least,
                                                std::int64_t most) const;

  private:
    json::Value value_;
    std::string place_;
};

}  // namespace ff::calendar
