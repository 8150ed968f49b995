#include "api/feed_query.h"

#include <algorithm>
#include <utility>

#include "api/fields.h"
#include "api/percent.h"

namespace ff::api {
namespace {

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        parts.emplace_back(text.substr(0, comma));
        text = comma == text.npos ? std::string_view() : text.substr(comma + 1);
    }
    return parts;
}

/// All values of a parameter that may stand several times.
Result<std::vector<std::string>> all_of(std::string_view query, std::string_view name) {
    std::vector<std::string> values;
    while (!query.empty()) {
        const std::size_t end = query.find('&');
        FF_TRY(const auto pair, parse_query(query.substr(0, end)));
        query = end == query.npos ? std::string_view() : query.substr(end + 1);
        const auto found = pair.find(std::string(name));
        if (found != pair.end()) values.push_back(found->second);
    }
    return values;
}

Result<Done> parse_tags(const Call& call, hub::FeedFilter& filter) {
    FF_TRY(const std::vector<std::string> tags, all_of(call.request().query(), "tag"));
    for (const std::string& tag : tags) {
        const std::size_t colon = tag.find(':');
        if (colon == tag.npos || colon == 0) return invalid_input("tag", "is not <key>:<value>");
        filter.tags.emplace_back(tag.substr(0, colon), tag.substr(colon + 1));
    }
    return Done{};
}

}  // namespace

std::vector<hub::FeedFamily> all_families() {
    return {hub::FeedFamily::Completion,     hub::FeedFamily::LeaseHistory,
            hub::FeedFamily::InstanceTags,   hub::FeedFamily::Operator,
            hub::FeedFamily::SignalDelivery, hub::FeedFamily::Step};
}

Result<std::vector<hub::FeedFamily>> parse_families(std::string_view text) {
    std::vector<hub::FeedFamily> families;
    for (const std::string& name : split(text)) {
        const auto family = hub::parse_family(name);
        if (!family) return Error{.code = "not_found", .message = "no such feed family"};
        if (std::ranges::find(families, *family) == families.end()) families.push_back(*family);
    }
    if (families.empty()) return Error{.code = "not_found", .message = "no feed family"};
    return families;
}

Result<hub::FeedFilter> parse_feed_filter(const Call& call, std::vector<hub::FeedFamily> families,
                                          const model::PartitionConfig& partitions) {
    hub::FeedFilter filter{.families = std::move(families)};
    filter.ns = call.query("namespace").value_or("");
    filter.lane = call.query("lane").value_or("");
    filter.types = split(call.query("type").value_or(""));
    FF_CHECK(parse_tags(call, filter));
    const std::string execution = call.query("execution_id").value_or("");
    if (!execution.empty()) {
        auto id = model::parse_execution_id_at_ingress(execution, partitions);
        if (!id.has_value()) return within_field(std::move(id).error(), "execution_id");
        filter.execution_id = *id;
    }
    const std::string flow = call.query("flow_id").value_or("");
    if (!flow.empty()) {
        auto id = model::FlowId::parse(flow);
        if (!id.has_value()) return within_field(std::move(id).error(), "flow_id");
        filter.flow_id = *id;
    }
    FF_TRY(const auto partition, call.query_integer("partition", 0, 0xffff));
    if (partition) filter.partition = static_cast<std::uint16_t>(*partition);
    return filter;
}

Result<service::FeedStart> parse_feed_start(const Call& call, std::string_view otherwise) {
    const auto last = call.request().header("Last-Event-ID");
    service::FeedStart start;
    FF_TRY(const auto since, call.query_integer("since", 0, kSafeIntegerMax));
    if (since) start.since = timestamp_from_ms(*since);
    start.cursor = last ? std::string(*last) : call.query("cursor").value_or("");
    if (start.cursor.empty() && !start.since) start.cursor = std::string(otherwise);
    return start;
}

}  // namespace ff::api
