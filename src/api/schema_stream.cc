#include "api/schema.h"

namespace ff::api {
namespace {

constexpr std::string_view kObjects = R"schema(
FrameFields+: What a frame says
  frame_type       string
  ts               time      The producer's clock
  payload          bytes
  encoding?        string    A hint, such as utf8, json or binary
  source?          string
  mode?            string
  correlation_id   bytes
  summary_version? integer
  ttl_ms?          integer
  seq?             integer
Frame: One frame of the stream of an attempt
  attempt_index?  integer    In the view over all attempts
  id              string
  fields          FrameFields
FramePage: Frames, oldest first
  frames           [Frame]
  count            integer
  next             string      Sent as after it gives the next page
  more             boolean
  closed_at?       time        When the stream ended, once all of it was read
  closed_reason?   string
MergedFramePage: Frames of all attempts, oldest first
  frames           [Frame]
  count            integer
  next             string      Sent as cursor it gives the next page
  more             boolean
  latest_summary   Summary?
Summary: The rolling summary of an attempt
  document          any        Any JSON; null before the first patch
  version           integer
  patch_kind        string
  first_applied_ms  time
  last_updated_ms   time
  closed_at?        time
  closed_reason?    string
AppendedFrames: Where the frames went
  first_id          string
  last_id           string
  frame_count       integer    Ever appended to the stream
  summary_version?  integer
  duplicates        integer    Of a repeated call
Annotation: A frame that an operator appended
  id           string
  frame_count  integer
StreamInfo: What is known about a stream
  stream_id             string
  execution_id          string
  attempt_index         integer
  attempt_id?           string
  created_at            time
  opened_by             string
  closed_at?            time?
  closed_reason?        string
  durability_mode?      string
  retention_maxlen?     integer?
  last_sequence?        string
  frame_count?          integer?
  total_bytes?          integer?
  retained_count?       integer?
  retained_bytes?       integer?
  live_bytes?           integer?
  live_expires_at?      time?
  last_frame_at?        time?
  has_durable_frame?    boolean
  has_summary_frame?    boolean
  ema_rate_hz?          number
  last_append_ts_ms?    time?
  maxlen_applied_last?  integer?
FeedPage: Events of feed families
  events  [FeedEvent]
  gaps    [FeedGap]
  cursor  string       Sent as cursor it gives what comes next
FeedEvent+: Something that happened; beside these it has the members of its family
  event_id            string
  family              completion|lease_history|instance_tags|operator|signal_delivery|step
  execution_id        string     Empty where it is about a flow
  namespace?          string
  lane_id?            string
  flow_id?            string
  at                  time
  kind?               string
  outcome?            string
  attempt_index?      integer?
  reason              bytes
  release_reason      bytes
  cause?              string
  event?              string
  detail?             any
  lease_id?           string
  lease_epoch?        integer?
  worker_id?          string
  worker_instance_id? string
  signal_id?          string
  signal_name         bytes
  waitpoint_id?       string
  effect?             string
  effect_class?       string
  delivered_at_ms?    time
  set?                {string}
  cleared?            [string]
FeedGap: Events that are no longer stored
  feed       events|signal_delivery
  partition  integer
  lost       integer?
)schema";

}  // namespace

std::string_view stream_schemas() {
    return kObjects;
}

}  // namespace ff::api
