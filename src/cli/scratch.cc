#include "cli/scratch.h"

namespace ff::cli {

flowfabric::Result<flowfabric::Done> remove_lane(const flowfabric::AdminClient& client,
                                                 const std::string& lane) {
    const auto disabled = client.set_lane(lane, {.state = "disabled"});
    return disabled ? client.delete_lane(lane) : disabled;
}

}  // namespace ff::cli
