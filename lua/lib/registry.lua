-- Registers the functions: checks arity and turns a refusal, raised anywhere below, into its reply.
--
-- The head of each function file is its contract, and tests compare it with the C++ side:
--   @function name
--   @keys, @argv   names in order; [optional], `...` and `[name]...` for what repeats
--   @reply         one line per shape of success
--   @refuses       the codes it may refuse with
--   @repeat        what the same call answers the second time
local registry = {}

local function refusal_as_reply(done, reply)
    if done or (type(reply) == "table" and reply[1] == 0) then return reply end
    error(reply, 0)
end

-- The reply of `run`, be it a refusal: one item of a batch does not end the others.
function registry.answer(run, ...)
    return refusal_as_reply(pcall(run, ...))
end

local function run_items(items)
    while items.at < items.count do
        local at = items.at + 1
        items.at = at
        items.replies[at] = items.run(items, at)
    end
end

-- Runs `items.run(items, i)` for i from 1 to items.count and collects what it answers, refusals included,
-- in items.replies. Many items share one protected call, because the compiler can not look across the
-- border of one: it ends with a refusal, and the next begins behind the refused item.
function registry.answer_each(items)
    items.at = 0
    repeat
        local done, refusal = pcall(run_items, items)
        if not done then items.replies[items.at] = refusal_as_reply(false, refusal) end
    until done
    return items.replies
end

local function arity(what, least, given)
    return {0, "invalid_input", "arity: " .. what .. " " .. given .. ", at least " .. least}
end

local function add(name, keys_least, argv_least, run, flags)
    redis.register_function({
        function_name = name,
        flags = flags,
        callback = function(given_keys, argv)
            if not type then find_globals(argv) end
            if #given_keys < keys_least then return arity("KEYS", keys_least, #given_keys) end
            local count = count_of(argv)
            if count < argv_least then return arity("ARGV", argv_least, count) end
            local done, reply = pcall(run, given_keys, argv)
            if not done then return refusal_as_reply(false, reply) end
            unit.recycle()
            return reply
        end,
    })
end

-- A function that moves work on or ends it: a store that is short of memory still runs it.
function registry.add(name, keys_least, argv_least, run)
    add(name, keys_least, argv_least, run, {"allow-oom"})
end

-- A function that starts work or makes it larger: a store that is short of memory refuses it with OOM.
function registry.add_growing(name, keys_least, argv_least, run)
    add(name, keys_least, argv_least, run, {})
end

function registry.add_read_only(name, keys_least, argv_least, run)
    add(name, keys_least, argv_least, run, {"no-writes"})
end

return registry
