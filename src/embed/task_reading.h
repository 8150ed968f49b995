#pragma once

#include "engine/claim_batch.h"
#include "model/ids.h"
#include "sdk/hot_path.h"

namespace ff::embed {

/// A task as the SDK hands it out.
sdk::HotTask task_of(engine::ClaimedTask&& claimed, model::LaneId&& lane, Millis ttl);

}  // namespace ff::embed
