#include "contract/bad_input.h"
#include "contract/execution.h"

namespace ff::contract {
namespace {

Execution taken(Host& host, const std::string& tag) {
    Execution e(host, tag);
    e.create({});
    e.take();
    return e;
}

List stream_keys(const Execution& e) {
    return {e.key("core"), e.stream_key(0), e.stream_key(0, ":meta"), e.attempt_key(0, ":summary"),
            e.stream_key(0, ":live")};
}

List append_args(const Execution& e, const std::string& mode) {
    return {e.id(), "0",      e.lease_id, e.epoch,      "log", "5",  R"({"a":1})",       "json",
            "c",    "worker", "10",       e.attempt_id, "100", mode, "json-merge-patch", "1000",
            "64",   "100",    "0.5",      "1",          "1000"};
}

GoodCall append_call(Host& host, const std::string& tag, const std::string& mode) {
    const Execution e = taken(host, tag);
    return {stream_keys(e), append_args(e, mode)};
}

List of_attempt(const Execution& e) {
    return {e.key("core"), e.attempt_key(0), e.stream_key(0), e.stream_key(0, ":meta")};
}

std::vector<BadInputRow> append_rows() {
    return {
        {"ff_append_frame",
         [](Host& host, const std::string& tag) { return append_call(host, tag, "durable"); }},
        {"ff_append_frame",
         [](Host& host, const std::string& tag) { return append_call(host, tag, "summary"); }},
        {"ff_append_frame",
         [](Host& host, const std::string& tag) { return append_call(host, tag, "best_effort"); }},
        {"ff_append_frames",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             return GoodCall{
                 stream_keys(e),
                 {e.id(), "0",           e.lease_id, e.epoch, e.attempt_id, "worker", "10", "100",
                  "1000", "best_effort", "1000",     "64",    "100",        "0.5",    "2",  "log",
                  "5",    "json",        "c",        "1",     "x",          "log",    "",   "",
                  "",     "2",           "y"}};
         }},
        {"ff_append_system_frame",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             return GoodCall{of_attempt(e),
                             {e.id(), "0", "note", "5", "x", "utf8", "c", "operator", "10", "100"}};
         }},
    };
}

std::vector<BadInputRow> reading_rows() {
    return {
        {"ff_open_stream",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             return GoodCall{of_attempt(e), {e.id(), "0"}};
         }},
        {"ff_read_attempt_stream",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             host.fcall("ff_append_frame", stream_keys(e), append_args(e, "durable"));
             return GoodCall{
                 {e.stream_key(0), e.stream_key(0, ":meta"), e.key("core"), e.attempt_key(0)},
                 {"-", "+", "10", "all", "log", "1000"}};
         }},
        {"ff_read_summary",
         [](Host& host, const std::string& tag) {
             const Execution e = taken(host, tag);
             return GoodCall{{e.attempt_key(0, ":summary"), e.stream_key(0, ":meta")}, {}};
         }},
    };
}

}  // namespace

std::vector<BadInputRow> stream_rows() {
    std::vector<BadInputRow> rows = append_rows();
    const auto more = reading_rows();
    rows.insert(rows.end(), more.begin(), more.end());
    return rows;
}

}  // namespace ff::contract
