#include "engine/lane.h"

#include "model/global_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kSet = "ff_set_lane";
constexpr std::string_view kDelete = "ff_delete_lane";

template <class Value>
void write_field(CallWriter& to, std::string_view name, const std::optional<Value>& value) {
    if (!value) return;
    to.arg("field", name);
    to.arg("value", *value);
}

}  // namespace

void SetLane::write(CallWriter& to) const {
    to.begin(kSet, 1);
    to.key("lane_config", model::lane_config_key(lane));
    to.arg("lane_id", lane.text());
    write_field(to, "state", state);
    write_field(to, "scheduling_weight", scheduling_weight);
    write_field(to, "default_priority", default_priority);
    write_field(to, "default_policy_json", default_policy_json);
}

Result<SetLane::Outcome> SetLane::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kSet, reply));
    FF_TRY(const std::string_view now, reader.text(3, "state"));
    return Outcome{.state = std::string(now)};
}

void DeleteLane::write(CallWriter& to) const {
    to.begin(kDelete, 1);
    to.key("lane_config", model::lane_config_key(lane));
    to.arg("lane_id", lane.text());
}

Result<bool> DeleteLane::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kDelete, reply));
    return reader.word() == "OK";
}

}  // namespace ff::engine
