#!lua name=conversion_values
-- The second half of the suite: cjson, bit, and the parts of Lua's own library whose results depend
-- on the implementation. Called as those of conversion_suite.lua.

local function suite(name, callback)
    redis.register_function(name, callback)
end

-- cjson.encode.
suite('encode_scalars', function()
    return {cjson.encode(1), cjson.encode(-0.5), cjson.encode('x'), cjson.encode(true), cjson.encode(false),
        cjson.encode(cjson.null), cjson.encode(nil)}
end)
suite('encode_numbers', function()
    local out = {}
    for i, number in ipairs({0, -1, 100, 1e14, 1e15, 123456789012345, 9007199254740991, 1e20, 1e100, 0.1, 1 / 3, 2 ^ 53, -1e-7}) do
        out[i] = cjson.encode(number)
    end
    return out
end)
suite('encode_empty', function() return {cjson.encode({}), cjson.encode({{}}), cjson.encode({a = {}})} end)
suite('encode_arrays', function() return {cjson.encode({1, 2, 3}), cjson.encode({'a', {1, {2}}, false}), cjson.encode({cjson.null, 1})} end)
suite('encode_object', function() return {cjson.encode({a = 1}), cjson.encode({[1.5] = 'x'}), cjson.encode({['10'] = 'x'})} end)
suite('encode_gap', function() local reply = cjson.encode({1, nil, 3}) return reply end)
suite('encode_small_gap', function() local reply = cjson.encode({[3] = 'x'}) return reply end)
suite('encode_large_gap', function() local reply = cjson.encode({[1] = 'a', [200] = 'x'}) return reply end)
suite('encode_zero_index', function() local reply = cjson.encode({[0] = 'x'}) return reply end)
suite('encode_negative_index', function() local reply = cjson.encode({[-1] = 'x'}) return reply end)
suite('encode_escapes', function() local reply = cjson.encode('"\\/\b\f\n\r\t\1\31\127\0' .. string.char(0xc3, 0xa9, 0xff)) return reply end)
suite('encode_function', function() local reply = cjson.encode(function() end) return reply end)
suite('encode_nan', function() local reply = cjson.encode(0 / 0) return reply end)
suite('encode_infinity', function() local reply = cjson.encode(1 / 0) return reply end)
suite('encode_boolean_key', function() local reply = cjson.encode({[true] = 1}) return reply end)
suite('encode_nothing', function() local reply = cjson.encode() return reply end)
suite('encode_two', function() local reply = cjson.encode(1, 2) return reply end)
suite('encode_deep', function()
    local root = {}
    local at = root
    for _ = 1, 999 do
        at[1] = {}
        at = at[1]
    end
    return #cjson.encode(root)
end)
suite('encode_too_deep', function()
    local root = {}
    local at = root
    for _ = 1, 1001 do
        at[1] = {}
        at = at[1]
    end
    local reply = cjson.encode(root)
    return reply
end)

-- cjson.decode.
local function shown(value)
    if value == cjson.null then
        return 'null'
    end
    if type(value) ~= 'table' then
        return type(value) .. ' ' .. string.format(type(value) == 'number' and '%.17g' or '%s', type(value) == 'boolean' and tostring(value) or value)
    end
    local names = {}
    for name in pairs(value) do
        names[#names + 1] = name
    end
    table.sort(names, function(a, b) return tostring(a) < tostring(b) end)
    local parts = {}
    for _, name in ipairs(names) do
        parts[#parts + 1] = type(name) .. ' ' .. tostring(name) .. ' = ' .. shown(value[name])
    end
    return '{' .. table.concat(parts, ', ') .. '}'
end
suite('decode', function(_, args) return shown(cjson.decode(args[1])) end)
suite('decode_nothing', function() local reply = cjson.decode() return reply end)
suite('decode_number', function() return shown(cjson.decode(5)) end)
suite('decode_table', function() local reply = cjson.decode({}) return reply end)
suite('decode_null_is_no_nil', function()
    local value = cjson.decode('[null]')[1]
    return {type(value), tostring(value == cjson.null), tostring(value == nil)}
end)
suite('decode_encode', function(_, args) local reply = cjson.encode(cjson.decode(args[1])) return reply end)

-- bit.
suite('bits', function()
    return {bit.band(0xff, 0x0f), bit.bor(1, 2, 4), bit.bxor(5, 1), bit.lshift(1, 31), bit.rshift(-1, 28), bit.band(-1, 0xffffffff),
        bit.bxor(2 ^ 32 + 5, 0), bit.lshift(1, 32), bit.rshift(256, 4), bit.band('12', 15)}
end)
suite('bits_of_text', function() local reply = bit.band('x', 1) return reply end)

-- string, table, math, tostring, tonumber.
suite('tostring_numbers', function()
    local out = {}
    for i, number in ipairs({0, 1, -1, 1e14, 1e15, 1e16, 123456789012, 2 ^ 31, 2 ^ 53, 0.1, 1 / 3, 1e100, 1e-5, 1 / 0, -1 / 0, 100.0}) do
        out[i] = tostring(number) .. ' ' .. number
    end
    return out
end)
suite('tonumber_texts', function()
    local out = {}
    for i, text in ipairs({'0', '10', '-3', '1.5', '1e3', '0x10', ' 7 ', '7x', '', ' ', '+4', '.5', '5.', '1e', '--1', '9007199254740993'}) do
        out[i] = tostring(tonumber(text))
    end
    return out
end)
suite('tonumber_bases', function() return {tonumber('ff', 16), tonumber('777', 8), tonumber('101', 2), tostring(tonumber('9', 8))} end)
suite('format_numbers', function()
    return {string.format('%d', 3), string.format('%d', 2 ^ 53), string.format('%.0f', 2 ^ 53), string.format('%5.2f|%-5d|%05d', 3.14159, 7, 42),
        string.format('%x %X %o %c', 255, 255, 8, 65), string.format('%s %q', 'a', 'b"\n'), string.format('%g %e', 1e20, 1.5), string.format('%%')}
end)
suite('patterns', function()
    return {string.match('key{fp:12}:x', '{(.-)}'), string.gsub('a,b,c', ',', ';'), string.find('abc', 'b', 1, true), string.find('a.c', '.', 1, true),
        string.match('2024-01', '^(%d+)%-(%d+)$'), tostring(string.match('x', '^%d+$')), ('x'):rep(3), string.reverse('abc'), string.byte('A')}
end)
suite('iteration', function()
    local out = {}
    for word in string.gmatch('a b c', '%a') do
        out[#out + 1] = word
    end
    for i, value in ipairs({'x', 'y', nil, 'z'}) do
        out[#out + 1] = i .. value
    end
    return out
end)
suite('tables', function()
    local list = {3, 1, 2}
    table.sort(list)
    table.insert(list, 4)
    table.insert(list, 1, 0)
    local removed = table.remove(list, 1)
    return {table.concat(list, ','), removed, #list, table.maxn({1, [10] = 2}), {unpack({1, 2, 3}, 2)}, {select(2, 'a', 'b', 'c')}}
end)
suite('maths', function()
    return {math.floor(-1.5), math.ceil(1.2), math.max(1, 5, 3), math.min(2, -1), tostring(math.huge), math.fmod(-7, 3), -7 % 3, math.abs(-4),
        math.pow(2, 10), tostring(math.modf(3.7)), math.sqrt(16)}
end)
suite('integers_beyond', function() return {tostring(2 ^ 53 + 1), string.format('%.0f', 2 ^ 53 + 2), 9007199254740991 + 0} end)
suite('sort_refuses', function() table.sort({1, 'x', 2}) end)
suite('concat_refuses', function() local reply = table.concat({1, {}, 2}) return reply end)
