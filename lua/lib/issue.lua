-- Issues the commands that lib/unit.lua and lib/feed.lua have collected: arrays, or hashes of fields to set.
local issue = {}

local VALUES_MAX = 1000

-- One piece of a command.
function issue.add(value)
    if type(value) == "string" then
        add_text(value)
    else
        add_number(value)
    end
end

-- The elements `from` to `to` behind the first `head` ones.
local function run(command, head, from, to)
    if not run_pieces then
        if from == head + 1 then return call(unpack(command, 1, to)) end
        if head == 1 then return call(command[1], unpack(command, from, to)) end
        return call(command[1], command[2], unpack(command, from, to))
    end
    for i = 1, head do
        add_text(command[i])
    end
    for i = from, to do
        issue.add(command[i])
    end
    if not run_pieces() then raise_pieces() end
end

-- Splits what is longer than one command may be; the first `head` elements repeat.
local function in_parts(command, head, step, size)
    for from = head + 1, size, step do
        run(command, head, from, math.min(from + step - 1, size))
    end
end

-- The elements `first` to `last` of `values` behind a name and a key, which may go on with `e` and `tail`.
function issue.values(name, key, values, first, last, e, tail)
    for from = first, last, VALUES_MAX do
        local to = math.min(from + VALUES_MAX - 1, last)
        if not run_pieces then
            call(name, e and key .. e .. tail or key, unpack(values, from, to))
        else
            add_text(name)
            if e then
                add_joined(key, e, tail)
            else
                add_text(key)
            end
            for i = from, to do
                issue.add(values[i])
            end
            if not run_pieces() then raise_pieces() end
        end
    end
end

-- One array for the arguments of every HSET: growing a new one each time costs more than filling it.
local scratch = {"HSET"}

local function note(list, size, known, field, value)
    if known and (known[field] or "") == value then return size end
    list[size + 1] = field
    list[size + 2] = value
    return size + 2
end

-- Moves those fields of which `known`, a table or false, does not say the same already to the end of a list of
-- this size, and answers its new one. `room` has the names that most are of, and gets the table back, empty. No
-- loop with `pairs` here: compiled, it now and then ends with what was counted before it began.
function issue.drain(list, size, fields, known, room)
    local names = room.names
    for i = 1, #names do
        local field = names[i]
        local value = fields[field]
        if value ~= nil then
            size = note(list, size, known, field, value)
            fields[field] = nil
        end
    end
    local field, value = next(fields)
    while field do
        size = note(list, size, known, field, value)
        fields[field] = nil
        field, value = next(fields)
    end
    room.spare = fields
    return size
end

-- Sets those fields of a hash of which `known` does not say the same already. `room`: see issue.drain; false
-- leaves the fields as they are.
function issue.changes(key, fields, known, room)
    local size = 2
    if room then
        size = issue.drain(scratch, size, fields, known, room)
    else
        local field, value = next(fields)
        while field do
            size = note(scratch, size, known, field, value)
            field, value = next(fields, field)
        end
    end
    scratch[2] = key
    in_parts(scratch, 2, VALUES_MAX, size)
end

-- Stands before the place of an argument.
local ARGUMENT = {}
local STORES = room.new()

-- The command that stores an argument, as args.passed gave it: its text, or false and it is ARGV[place]. The key
-- is `head`, `e` and `tail`.
function issue.store(head, e, tail, argument, place)
    if argument then return {"SET", head .. e .. tail, argument} end
    local command = room.take(STORES) or {"SET", "", ARGUMENT, 0, e = "", tail = "", room = STORES}
    command[2], command[4], command.e, command.tail = head, place, e, tail
    return command
end

local function store_argument(command)
    add_text(command[1])
    add_joined(command[2], command.e, command.tail)
    add_argument(command[4])
    if not run_pieces() then raise_pieces() end
end

-- `fields`: a hash to set. `values`: see lib/gathering.lua. `soft`: a failure must not undo the rest. `head` and
-- `step`: how to split it. `room`: where it goes then, if it is used again; its key goes on with `e` and `tail`.
function issue.command(command)
    if command.fields then
        issue.changes(command[2], command.fields, false, false)
    elseif command.values then
        issue.values(command.name, command.key, command.values, 1, command.n)
        gathering.settle(command)
    elseif command.soft then
        try(unpack(command))
    elseif command.room then
        if command[3] == ARGUMENT then
            store_argument(command)
        else
            issue.values(command[1], command[2], command, 3, #command, command.e, command.tail)
        end
        room.give(command.room, command)
    elseif #command <= 2 then
        run(command, #command, #command + 1, #command)
    else
        in_parts(command, command.head or 2, command.step or VALUES_MAX, #command)
    end
end

return issue
