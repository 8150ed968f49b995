#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/ids.h"

namespace ff::model {

// Names that belong to no partition. The server reads and writes each with plain commands, and
// functions touch none but the configuration of a lane.

constexpr std::string_view kPartitionConfigKey = "ff:config:partitions";
constexpr std::string_view kLanesKey = "ff:idx:lanes";
constexpr std::string_view kNamespacesKey = "ff:idx:namespaces";
/// `<budget|quota>:<scope_type>:<scope_id>` of every scope that ever had a policy attached.
constexpr std::string_view kAttachedScopesKey = "ff:idx:attached_scopes";
constexpr std::string_view kAuditEventsKey = "ff:audit:events";

std::string lane_config_key(const LaneId& lane);
std::string lane_counts_key(const LaneId& lane);

/// That a server scans the shard `index` of `count`; gone soon after the last one that does.
std::string scanner_shard_key(std::uint16_t count, std::uint16_t index);

std::string namespace_config_key(const Namespace& ns);
std::string namespace_executions_key(const Namespace& ns);
/// The executions of a namespace that carry a tag with that value.
std::string tag_key(const Namespace& ns, std::string_view key, std::string_view value);

// Publish/subscribe channels.

constexpr std::string_view kDagCompletionsChannel = "ff:dag:completions";
constexpr std::string_view kFlowCompletionsChannel = "ff:flow:completions";
constexpr std::string_view kAdmissionFreedChannel = "ff:admission:freed";
/// What falls due soon: `<index> <tag> <ms> [<lane>]`.
constexpr std::string_view kDueChannel = "ff:due";
/// Matches the wake channels of all lanes.
constexpr std::string_view kWakeChannelPattern = "ff:wake:*";
std::string wake_channel(const LaneId& lane);

}  // namespace ff::model
