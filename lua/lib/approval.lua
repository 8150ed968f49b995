-- What a person needs to answer at a waitpoint (chapter 03 section 3.7), and the index of those who are asked.
local approval = {}

-- As many as approval.read takes.
approval.ARGUMENTS = 6

local PROMPT_MAX, ASSIGNEES_MAX, ASSIGNEE_MAX = 4096, 64, 256
local FORM_MAX, CONTEXT_MAX, TYPE_MAX = 16384, 65536, 128
-- The last time that an index tells; what has none comes behind it, in the order of its coming.
local DUE_MAX = 9999999999999

local function check_assignees(json)
    if json == "" then return end
    local parsed, list = pcall(cjson.decode, json)
    if not parsed or type(list) ~= "table" or not string.find(json, "^%s*%[") then
        args.refuse("assignees", "not a list")
    end
    if #list > ASSIGNEES_MAX then args.refuse("assignees", "more than " .. ASSIGNEES_MAX) end
    for _, one in ipairs(list) do
        if type(one) ~= "string" or one == "" or #one > ASSIGNEE_MAX then
            args.refuse("assignees", "not texts of 1 to " .. ASSIGNEE_MAX .. " bytes")
        end
    end
end

-- The six arguments from `at` on; nil when all of them are empty.
function approval.read(argv, at, now)
    local given = {
        prompt = args.text(argv, at), assignees = args.text(argv, at + 1), form = args.text(argv, at + 2),
        context = args.text(argv, at + 3), context_type = args.text(argv, at + 4),
        due_at = args.optional_due(argv, at + 5, "due_at", now) or "",
    }
    if given.prompt == "" and given.assignees == "" and given.form == "" and given.context == ""
        and given.context_type == "" and given.due_at == "" then
        return nil
    end
    if #given.prompt > PROMPT_MAX then args.refuse("prompt", "longer than " .. PROMPT_MAX .. " bytes") end
    check_assignees(given.assignees)
    if #given.form > FORM_MAX then args.refuse("form", "longer than " .. FORM_MAX .. " bytes") end
    if args.json_object(given.form) == false then args.refuse("form", "not an object") end
    if #given.context > CONTEXT_MAX then args.refuse("context", "longer than " .. CONTEXT_MAX .. " bytes") end
    if #given.context_type > TYPE_MAX then args.refuse("context_type", "longer than " .. TYPE_MAX .. " bytes") end
    if given.due_at ~= "" and (given.due_at < 0 or given.due_at > DUE_MAX) then args.refuse("due_at", "not a time") end
    given.has_approval = "1"
    return given
end

-- Into a record of a waitpoint; all of them, so that none of an earlier question is left.
function approval.add_to(fields, given)
    if not given then return end
    for name, value in each(given) do
        fields[name] = value
    end
end

-- What is asked at the primary waitpoint of a suspension: by this call, or since that was created.
local function asked(primary)
    if primary.approval then return primary.approval end
    local record = primary.is_pending and primary.record
    return record and is_set(record.has_approval) and record or nil
end

-- A suspension that begins, with its record: if somebody is asked, that can be found from now on.
function approval.begin(u, e, primary, suspension_fields)
    local question = asked(primary)
    if not question then return end
    suspension_fields.has_approval = "1"
    local due = is_set(question.due_at) and number_of(question.due_at) or DUE_MAX + 1 + u.now
    unit.zadd(u, keys.index(u.tag, "approvals"), due, e)
end

-- Nobody is asked any more; `record` is that of the suspension.
function approval.finish(u, e, record)
    if is_set(record.has_approval) then unit.zrem(u, keys.index(u.tag, "approvals"), e) end
end

return approval
