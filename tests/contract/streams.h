#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "contract/suspension.h"

namespace ff::contract {

/// The arguments of ff_append_frame that a test may want to change.
struct FrameArgs {
    std::string payload = "x";
    std::string type = "token";
    std::string mode{};
    std::string ttl_ms{};
    std::string seq{};
    std::string retention_maxlen{};
    std::string max_payload_bytes{};
    std::string max_stream_bytes{};
    std::string ts{};
    std::string correlation_id{};
    int attempt = 0;
};

struct ReadArgs {
    std::string from = "-";
    std::string to = "+";
    std::string limit = "1000";
    std::string visibility{};
    std::string types{};
    std::string max_bytes{};
    int attempt = 0;
};

/// One answer of ff_read_attempt_stream.
struct Page {
    using Frame = std::map<std::string, std::string>;
    RespValue reply{};
    List ids{};
    std::vector<Frame> frames{};
    std::string closed_at{};
    std::string closed_reason{};
    std::string next{};
    std::string more{};
    std::string last_sequence{};
    std::string frame_count{};
    /// The payloads, in order.
    List payloads() const;
};

/// A contract test about attempt streams and event feeds.
class StreamContract : public SuspensionContract {
  protected:
    List append_keys(const Execution& e, int attempt = 0) const;
    List append_args(const Execution& e, const FrameArgs& args) const;
    RespValue append(const Execution& e, const FrameArgs& args = {}) const;
    /// A batch of frames with these payloads; `head` as FrameArgs.
    RespValue append_many(const Execution& e, const List& payloads,
                          const FrameArgs& head = {}) const;
    List batch_args(const Execution& e, const List& payloads, const FrameArgs& head) const;
    RespValue append_system(const Execution& e, std::string_view source, int attempt = 0) const;
    RespValue open_stream(const Execution& e, int attempt = 0) const;
    Page read(const Execution& e, const ReadArgs& args = {}) const;
    RespValue try_read(const Execution& e, const ReadArgs& args) const;
    RespValue summary(const Execution& e, bool with_meta = false) const;

    std::string meta(const Execution& e, std::string_view field, int attempt = 0) const;
    std::int64_t length(const std::string& stream) const;
    /// The close markers of a live key, oldest first.
    List markers(const Execution& e, int attempt = 0) const;
};

}  // namespace ff::contract
