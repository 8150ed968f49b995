-- What budgets, quotas and the worker registry share (chapter 06 section 2).
local admission = {}

function admission.store_now()
    local time = call("TIME")
    return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- Store time, unless the caller (a test, an import) says another.
function admission.now(argv, i)
    return args.optional_integer(argv, i, "now_ms") or admission.store_now()
end

-- A unit of work whose time is that argument.
function admission.open(tag, argv, i)
    local given = args.optional_integer(argv, i, "now_ms")
    local u = unit.open(tag)
    u.now = given or u.now
    return u
end

-- A flat field and value list as a table.
function admission.table_of(flat)
    local record = {}
    for i = 1, #flat, 2 do
        record[flat[i]] = flat[i + 1]
    end
    return record
end

function admission.is_noop(key)
    return string.sub(key, 1, 8) == "ff:noop:"
end

-- Room appeared: servers look at the work blocked by this policy at once (section 8.4).
function admission.publish_freed(kind, id)
    call("PUBLISH", "ff:admission:freed", kind .. ":" .. id)
end

return admission
