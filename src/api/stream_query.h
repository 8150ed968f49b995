#pragma once

#include <cstdint>
#include <string>

#include "api/call.h"
#include "api/route.h"
#include "api/stream_json.h"
#include "base/deadline.h"
#include "engine/stream.h"
#include "model/partition.h"

namespace ff::api {

/// What the routes of streams and feeds have in common in their query (spec 04, section 12.1).
constexpr std::int64_t kPageMost = 1'000;
constexpr std::int64_t kBlockMsMost = 30'000;

Result<engine::StreamAddress> parse_stream(const Call& call,
                                           const model::PartitionConfig& partitions);
/// `limit`, 1..1000.
Result<std::int64_t> parse_limit(const Call& call, std::int64_t otherwise);
/// `block_ms`, at most 30 s.
Result<Deadline> parse_block(const Call& call, std::int64_t otherwise_ms = 0);
/// `payload=base64` or `text`.
Result<PayloadForm> parse_payload_form(const Call& call);
/// `visibility`: true for `exclude_best_effort`.
Result<bool> parse_visibility(const Call& call);
/// A bound of a range of entry ids: `-`, `start`, `+`, `end`, `<ms>`, `<ms>-<seq>`.
Result<std::string> parse_bound(const Call& call, std::string_view name,
                                std::string_view otherwise);

/// The descriptions of these.
FieldDoc doc_limit(std::string about);
FieldDoc doc_block();
/// One of a few words, as `a|b`.
FieldDoc doc_choice(std::string name, std::string words, std::string about);
FieldDoc doc_query(std::string name, std::string about, std::string example = {});

}  // namespace ff::api
