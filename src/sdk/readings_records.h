#pragma once

#include "flowfabric/feed.h"
#include "flowfabric/records.h"

namespace ff::sdk {

// What replies say about one execution: its records, streams and events.
flowfabric::Attempt attempt_of(flowfabric::Json one);
flowfabric::LeaseEvent lease_event_of(flowfabric::Json one);
flowfabric::SuspensionInfo suspension_of(flowfabric::Json reply);
flowfabric::SignalInfo signal_record_of(flowfabric::Json one);
flowfabric::Explanation explanation_of(flowfabric::Json reply);
flowfabric::StreamSummary stream_summary_of(const flowfabric::Json& reply);
flowfabric::StreamInfo stream_info_of(flowfabric::Json reply);
flowfabric::MergedPage merged_of(const flowfabric::Json& reply);
flowfabric::AuditEntry audit_entry_of(flowfabric::Json one);
flowfabric::FeedPage feed_page_of(const flowfabric::Json& reply);

}  // namespace ff::sdk
