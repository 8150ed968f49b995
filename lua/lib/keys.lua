-- Names of keys (chapter 01 section 4), from the hash tag and ids. Derived names win over passed ones.
local keys = {}

local function of_execution(suffix)
    return function(tag, e)
        return "ff:exec:" .. tag .. ":" .. e .. suffix
    end
end

-- Whoever reads a core writes it next.
local core_tag, core_execution, core_key

function keys.core(tag, e)
    if e ~= core_execution or tag ~= core_tag then
        core_tag, core_execution, core_key = tag, e, "ff:exec:" .. tag .. ":" .. e .. ":core"
    end
    return core_key
end

-- Where the keys of executions and attempts begin, and the latter end: hosts may put them together themselves.
local head_tag, execution_head, attempt_head
local tail_index, attempt_tail

local function find_heads(tag)
    head_tag, execution_head, attempt_head = tag, "ff:exec:" .. tag .. ":", "ff:attempt:" .. tag .. ":"
end

function keys.execution_head(tag)
    if tag ~= head_tag then find_heads(tag) end
    return execution_head
end

function keys.attempt_head(tag)
    if tag ~= head_tag then find_heads(tag) end
    return attempt_head
end

function keys.attempt_tail(index)
    if index ~= tail_index then
        tail_index, attempt_tail = index, ":" .. index
    end
    return attempt_tail
end

keys.payload = of_execution(":payload")
keys.result = of_execution(":result")
keys.policy = of_execution(":policy")
keys.tags = of_execution(":tags")
keys.steps = of_execution(":steps")
keys.children = of_execution(":children")
keys.children_pending = of_execution(":children:pending")
keys.attempts = of_execution(":attempts")
keys.lease_current = of_execution(":lease:current")
keys.lease_history = of_execution(":lease:history")
keys.claim_grant = of_execution(":claim_grant")
keys.suspension = of_execution(":suspension:current")
keys.satisfied_set = of_execution(":suspension:current:satisfied_set")
keys.satisfied_signals = of_execution(":suspension:current:satisfied_set:signals")
keys.member_map = of_execution(":suspension:current:member_map")
keys.waitpoints = of_execution(":waitpoints")
keys.signals = of_execution(":signals")
keys.deps_meta = of_execution(":deps:meta")
keys.deps_unresolved = of_execution(":deps:unresolved")
keys.deps_all_edges = of_execution(":deps:all_edges")
keys.inputs = of_execution(":inputs")

function keys.dep(tag, e, edge)
    return "ff:exec:" .. tag .. ":" .. e .. ":dep:" .. edge
end

function keys.input(tag, e, name)
    return "ff:exec:" .. tag .. ":" .. e .. ":input:" .. name
end

-- Attempts and their streams; `index` is a number or its text.
function keys.attempt(tag, e, index)
    return "ff:attempt:" .. tag .. ":" .. e .. ":" .. index
end

function keys.attempt_usage(tag, e, index)
    return keys.attempt(tag, e, index) .. ":usage"
end

function keys.attempt_policy(tag, e, index)
    return keys.attempt(tag, e, index) .. ":policy"
end

function keys.attempt_summary(tag, e, index)
    return keys.attempt(tag, e, index) .. ":summary"
end

function keys.stream(tag, e, index)
    return "ff:stream:" .. tag .. ":" .. e .. ":" .. index
end

function keys.stream_live(tag, e, index)
    return keys.stream(tag, e, index) .. ":live"
end

function keys.stream_meta(tag, e, index)
    return keys.stream(tag, e, index) .. ":meta"
end

function keys.waitpoint(tag, waitpoint)
    return "ff:wp:" .. tag .. ":" .. waitpoint
end

function keys.waitpoint_condition(tag, waitpoint)
    return "ff:wp:" .. tag .. ":" .. waitpoint .. ":condition"
end

function keys.waitpoint_signals(tag, waitpoint)
    return "ff:wp:" .. tag .. ":" .. waitpoint .. ":signals"
end

function keys.signal(tag, signal)
    return "ff:signal:" .. tag .. ":" .. signal
end

function keys.signal_payload(tag, signal)
    return "ff:signal:" .. tag .. ":" .. signal .. ":payload"
end

function keys.signal_dedup(tag, waitpoint, key)
    return "ff:sigdedup:" .. tag .. ":" .. waitpoint .. ":" .. key
end

function keys.suspend_dedup(tag, e, key)
    return "ff:dedup:suspend:" .. tag .. ":" .. e .. ":" .. key
end

-- What signs the tokens of waitpoints, and the lock of its rotation.
function keys.secrets(tag)
    return "ff:sec:" .. tag .. ":waitpoint_hmac"
end

function keys.rotate_lock(tag)
    return "ff:sec:" .. tag .. ":rotate_lock"
end

function keys.idem(tag, namespace, key)
    return "ff:idem:" .. tag .. ":" .. namespace .. ":" .. key
end

-- Every call names the same few indexes, and joining texts is slow: their names are kept. Lanes and workers
-- come and go, so all are forgotten when there are too many. The names of a partition and of a lane have room
-- for all from the start: compiled code knows a field by its place, which growth would move.
local KEPT_MAX = 4096
local of_partitions, of_lanes, of_workers, kept_count = {}, {}, {}, 0
local none

local function room_for_partition()
    return {
        all_executions = none, lease_expiry = none, attempt_timeout = none, execution_deadline = none,
        retention_due = none, suspension_timeout = none, pending_waitpoint_expiry = none, quota_release = none,
        flow_index = none, flows_by_time = none, terminal_flows = none, cascade_pending = none,
        cancel_backlog = none, pending_cancel_groups = none, approvals = none,
    }
end

local function room_for_lane()
    return {
        eligible = none, eligible_ns = none, active = none, terminal = none, delayed = none, suspended = none,
        route_sets = none, ["blocked:dependencies"] = none, ["blocked:route"] = none,
    }
end

local function count_kept()
    if kept_count == KEPT_MAX then
        of_partitions, of_lanes, of_workers, kept_count = {}, {}, {}, 0
    end
    kept_count = kept_count + 1
end

local function keep_index(tag, name)
    count_kept()
    local names = of_partitions[tag] or room_for_partition()
    of_partitions[tag] = names
    names[name] = "ff:idx:" .. tag .. ":" .. name
    return names[name]
end

local function keep_lane(tag, lane, name)
    count_kept()
    local lanes = of_lanes[tag] or {}
    of_lanes[tag] = lanes
    local names = lanes[lane] or room_for_lane()
    lanes[lane] = names
    names[name] = "ff:idx:" .. tag .. ":lane:" .. lane .. ":" .. name
    return names[name]
end

local function keep_worker(tag, worker_instance)
    count_kept()
    local workers = of_workers[tag] or {}
    of_workers[tag] = workers
    workers[worker_instance] = "ff:idx:" .. tag .. ":worker:" .. worker_instance .. ":leases"
    return workers[worker_instance]
end

-- A lane index: eligible, delayed, active, terminal, suspended, blocked:<why>, eligible_ns, route_sets.
function keys.lane(tag, lane, name)
    local lanes = of_lanes[tag]
    local names = lanes and lanes[lane]
    return names and names[name] or keep_lane(tag, lane, name)
end

-- A partition index: lease_expiry, attempt_timeout, all_executions, ...
function keys.index(tag, name)
    local names = of_partitions[tag]
    return names and names[name] or keep_index(tag, name)
end

function keys.worker_leases(tag, worker_instance)
    local workers = of_workers[tag]
    return workers and workers[worker_instance] or keep_worker(tag, worker_instance)
end

function keys.wake(tag)
    return "ff:wake:" .. tag
end

-- events, signal_delivery, feed_seq.
function keys.part(tag, name)
    return "ff:part:" .. tag .. ":" .. name
end

-- A record of a flow: core, members, pending_cancels, out:<eid>, in:<eid>, ...
function keys.flow(tag, flow, name)
    return "ff:flow:" .. tag .. ":" .. flow .. ":" .. name
end

-- The number in the tag. Calls of one partition often follow each other: the last one is remembered.
local last_tag, last_partition

function keys.partition(tag)
    if tag ~= last_tag then
        last_tag, last_partition = tag, string.match(tag, "%d+") or ""
    end
    return last_partition
end

return keys
