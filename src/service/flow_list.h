#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/task.h"
#include "service/context.h"
#include "service/flow_views.h"

namespace ff::service {

/// Which flows a listing shows; everything given must hold.
struct FlowQuery {
    std::optional<std::uint16_t> partition{};
    std::optional<std::string> ns{};
    /// Key and value.
    std::optional<std::pair<std::string, std::string>> tag{};
    std::optional<std::string> public_flow_state{};
    PageRequest page{.limit = 50};
};

struct FlowPage {
    /// Without their tags.
    std::vector<FlowRecord> flows{};
    /// Empty when nothing follows. A page may hold fewer flows than asked for, even none, and go
    /// on: a listing that finds little looks at `kExaminedMax` flows a page.
    std::string next_cursor{};
};

/// Lists flows, newest first.
class FlowList {
  public:
    static constexpr std::size_t kExaminedMax = 2'000;

    explicit FlowList(const Context& context) : context_(context) {}

    Task<FlowPage> list(FlowQuery query);

  private:
    /// A flow in the index: by time, then by id, both falling.
    struct Entry {
        std::int64_t created_at = 0;
        std::string id{};
        auto operator<=>(const Entry&) const = default;
    };
    /// One partition's index, read from the newest on.
    struct Source {
        std::string key{};
        std::int64_t rank = 0;
        /// The next to come is the last one.
        std::vector<Entry> ready{};
        bool drained = false;
    };

    static Result<std::optional<Entry>> parse_cursor(const std::string& text);
    Task<Done> seek(std::vector<Source>& sources, Entry behind);
    Task<Done> fill(std::vector<Source>& sources, std::optional<Entry> behind, std::size_t limit);
    /// The next entries in order; fewer than `count` only at the end.
    Task<std::vector<Entry>> take(std::vector<Source>& sources, std::optional<Entry> behind,
                                  std::size_t count);
    Task<std::vector<FlowRecord>> matching(std::vector<Entry> entries, const FlowQuery& query);

    Context context_;
};

}  // namespace ff::service
