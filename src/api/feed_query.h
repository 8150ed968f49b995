#pragma once

#include <string_view>

#include "api/call.h"
#include "hub/feed_event.h"
#include "model/partition.h"
#include "service/feeds.h"

namespace ff::api {

/// One family or several, separated by commas; `not_found` for an unknown one.
Result<std::vector<hub::FeedFamily>> parse_families(std::string_view text);
std::vector<hub::FeedFamily> all_families();

/// The conditions of the query (spec 04, section 13.4).
Result<hub::FeedFilter> parse_feed_filter(const Call& call, std::vector<hub::FeedFamily> families,
                                          const model::PartitionConfig& partitions);
/// `Last-Event-ID`, else `cursor`, else `since`, else `otherwise`.
Result<service::FeedStart> parse_feed_start(const Call& call, std::string_view otherwise);

}  // namespace ff::api
