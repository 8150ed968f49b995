#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "flowfabric/json.h"
#include "flowfabric/result.h"
#include "sdk/door.h"
#include "sdk/hot_path.h"

namespace ff::sdk {

/// A path segment or query value, percent-encoded.
std::string percent(std::string_view text);
/// `?a=b&c=d` of what is not empty, or nothing.
std::string query_of(const std::map<std::string, std::string>& parameters);
std::string execution_path(const std::string& id, std::string_view rest = {});
std::string flow_path(const std::string& id, std::string_view rest = {});

/// `name` or `name_base64`, whichever can say it.
void set_bytes(flowfabric::Json& object, const std::string& name, std::string_view bytes);
void write_bytes(json::Writer& out, std::string_view name, std::string_view bytes);
/// The bytes of `name` or `name_base64`; nothing when there is neither.
std::optional<flowfabric::Bytes> bytes_of(const flowfabric::Json& object, const std::string& name);

/// Sends, and takes the reply's body for JSON; null for a reply without one.
flowfabric::Result<flowfabric::Json> ask(Door& door, const DoorRequest& request);
flowfabric::Result<flowfabric::Json> get_json(Door& door, std::string_view operation,
                                              std::string target);
flowfabric::Result<flowfabric::Json> post_json(Door& door, std::string_view operation,
                                               std::string target, const flowfabric::Json& body);

/// As a JSON object: the fence of a task route.
flowfabric::Json lease_json(const HeldLease& lease);

/// A version 4 UUID.
std::string mint_uuid();

}  // namespace ff::sdk
