-- Commands on keys that the caller names and that are not derived: a placeholder, or a key of another
-- type, is bad input and no defect. Each such key meets one of these before the first write, or with
-- it, so that a refusal has changed nothing.
local checked = {}

function checked.key(key)
    if string.sub(key, 1, 8) == "ff:noop:" then args.refuse("KEYS", "a placeholder where a key is needed") end
    return key
end

function checked.call(...)
    checked.key(select(2, ...))
    local reply = try(...)
    if type(reply) == "table" and reply.err then args.refuse("KEYS", args.cut(reply.err, 200)) end
    return reply
end

-- Chosen fields of a hash as a table; missing and empty ones are nil.
function checked.read(key, fields)
    local values = checked.call("HMGET", key, unpack(fields))
    local record = {}
    for i = 1, #fields do
        if is_set(values[i]) then record[fields[i]] = values[i] end
    end
    return record
end

return checked
