#include "model/global_keys.h"

#include "model/key_text.h"

namespace ff::model {

std::string lane_config_key(const LaneId& lane) {
    return concat({"ff:lane:", lane.text(), ":config"});
}

std::string lane_counts_key(const LaneId& lane) {
    return concat({"ff:lane:", lane.text(), ":counts"});
}

std::string scanner_shard_key(std::uint16_t count, std::uint16_t index) {
    return concat({"ff:scan:shard:", std::to_string(count), ":", std::to_string(index)});
}

std::string namespace_config_key(const Namespace& ns) {
    return concat({"ff:ns:", ns.text(), ":config"});
}

std::string namespace_executions_key(const Namespace& ns) {
    return concat({"ff:ns:", ns.text(), ":executions"});
}

std::string tag_key(const Namespace& ns, std::string_view key, std::string_view value) {
    return concat({"ff:tag:", ns.text(), ":", key, ":", value});
}

std::string wake_channel(const LaneId& lane) {
    return concat({"ff:wake:", lane.text()});
}

}  // namespace ff::model
