#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace ff::testing {

/// An exchange with a server.
struct Exchange {
    std::string_view method{};
    std::string_view target{};
    std::string_view sent{};
    int status = 0;
    std::string_view media_type{};
    std::string_view answered{};
};

/// What a server says of itself in /openapi.json. Other than for clients, who must put up with
/// members that are new, a member without a line in its schema is wrong here.
class Description {
  public:
    explicit Description(std::string_view openapi_document);

    /// Everything in which the exchange is not as described; a request counts only where it was
    /// granted, and bodies only where they are JSON.
    std::vector<std::string> problems_of(const Exchange& exchange) const;

  private:
    struct Place;
    std::optional<json::Value> operation_of(const Exchange& exchange) const;
    json::Value resolved(json::Value schema) const;
    void check(const json::Value& value, json::Value schema, Place& place) const;
    void check_object(const json::Value& value, const json::Value& schema, Place& place) const;
    bool fits_any(const json::Value& value, const json::Value& choices, const Place& place) const;

    json::Document document_;
};

}  // namespace ff::testing
