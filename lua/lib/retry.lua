-- Retry decision and scheduling (chapter 02 sections 7.9 and 7.10).
local retry = {}

local NEVER_BY_DEFAULT = {permanent = true, cancelled = true, budget_exceeded = true}

local function is_retryable(categories, category)
    if type(categories) ~= "table" or #categories == 0 then return not NEVER_BY_DEFAULT[category] end
    for _, name in ipairs(categories) do
        if name == category then return true end
    end
    return false
end

-- Spread over [d/2, d], yet the same whenever it is computed again.
local function jittered(delay, e, count)
    local digits = string.sub(redis.sha1hex(e .. ":" .. text(count)), 1, 8)
    return delay / 2 + delay / 2 * (tonumber(digits, 16) / 4294967296)
end

function retry.delay(retry_policy, e, count)
    local backoff = policy.object(retry_policy, "backoff")
    local delay
    if policy.member(backoff, "type") == "fixed" then
        delay = policy.number(backoff, "delay_ms") or 1000
    else
        local initial = policy.number(backoff, "initial_delay_ms") or 1000
        delay = math.min(initial * (policy.number(backoff, "multiplier") or 2) ^ count,
            policy.number(backoff, "max_delay_ms") or 60000)
    end
    if policy.member(backoff, "jitter") == true then delay = jittered(delay, e, count) end
    return math.max(0, math.floor(delay))
end

-- The tier asked for, if there is one above the current; `asked` is `next`, a number or nil.
function retry.fallback(c, stored, asked)
    if not asked then return nil end
    local current = number_of(c.fallback_index)
    local index = asked == "next" and current + 1 or asked
    if index > current and policy.tier(stored, index) then return index end
    return nil
end

-- Returns the delay in ms, or nil and why there is no retry.
function retry.decide(e, c, retry_policy, category)
    if not retry_policy then return nil, "no_policy" end
    if not is_retryable(policy.member(retry_policy, "retryable_categories"), category) then
        return nil, "category_not_retryable"
    end
    local count = number_of(c.retry_count)
    if count >= (policy.number(retry_policy, "max_retries") or 0) then return nil, "retries_exhausted" end
    return retry.delay(retry_policy, e, count)
end

-- `how`: delay, fallback_index (nil for a plain retry), reason, category, release_reason, closed_reason,
-- attempt_fields. Returns delay_until and the index of the next attempt.
function retry.schedule(u, e, c, how)
    local set = core.change(u, e, c)
    local delay_until = u.now + how.delay
    local fields = how.attempt_fields or {}
    fields.failure_reason = how.reason
    fields.failure_category = how.category
    attempt.finish(u, e, c, "ended_failure", how.closed_reason, fields)
    set.pending_retry_reason = how.reason
    set.pending_previous_attempt_index = c.current_attempt_index
    set.failure_reason = how.reason
    set.failure_category = how.category
    set.current_attempt_id = ""
    if how.fallback_index then
        set.pending_fallback_index = how.fallback_index
    else
        set.retry_count = number_of(c.retry_count) + 1
        set.total_retry_count = number_of(c.total_retry_count) + 1
    end
    lease.release(u, e, c, set, how.release_reason)
    set.last_release_answer = delay_until
    placement.place(u, e, c, set, {
        attempt_state = "pending_retry_attempt",
        delay_until = delay_until,
        delay_reason = "waiting_for_retry_backoff",
        delay_detail = "retry backoff until " .. text(delay_until) .. " (attempt " .. c.current_attempt_index
            .. " failed: " .. how.reason .. ")",
    })
    return delay_until, number_of(c.total_attempt_count)
end

return retry
