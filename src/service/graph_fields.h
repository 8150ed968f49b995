#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/json.h"
#include "model/due_time.h"
#include "service/graph_problem.h"

namespace ff::service {

using TextMap = std::vector<std::pair<std::string, std::string>>;

/// Reads the members of one object of a graph document. Notes every problem instead of stopping at
/// the first one; what is wrong reads as absent. `finish` notes the members nobody asked for.
class GraphFields {
  public:
    GraphFields(json::Value value, std::string path, GraphProblems& problems);

    const std::string& path() const { return path_; }
    std::string path_of(std::string_view name) const;
    bool has(std::string_view name);

    std::optional<std::string> text(std::string_view name, std::size_t bytes_max);
    std::optional<std::int64_t> integer(std::string_view name, std::int64_t least,
                                        std::int64_t most);
    std::optional<bool> flag(std::string_view name);
    std::optional<json::Value> object(std::string_view name);
    std::optional<json::Value> array(std::string_view name);
    /// `name` as text or `name_base64`, not both.
    std::optional<Bytes> bytes(std::string_view name);
    std::optional<model::DueTime> due_time(std::string_view name);
    TextMap texts(std::string_view name);

    void refuse(std::string_view name, std::string_view code, std::string message);
    void refuse(std::string_view name, std::string message) {
        refuse(name, "invalid_input", std::move(message));
    }
    /// An error of a parser, at a member.
    void refuse(std::string_view name, const Error& error) {
        refuse(name, error.code, error.text());
    }
    void finish();

  private:
    std::optional<json::Value> take(std::string_view name);

    std::optional<json::Value> object_{};
    std::string path_;
    GraphProblems& problems_;
    std::set<std::string, std::less<>> asked_{};
};

}  // namespace ff::service
