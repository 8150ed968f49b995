#include "api/schema.h"

#include <algorithm>
#include <array>

#include "base/assert.h"
#include "model/state.h"

namespace ff::api {
namespace {

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

/// Cuts the part in front of `mark` off; all of it where there is none.
std::string_view take_until(std::string_view& text, std::string_view mark) {
    const auto at = text.find(mark);
    const std::string_view part = text.substr(0, at);
    text = at == std::string_view::npos ? std::string_view() : text.substr(at + mark.size());
    return part;
}

std::vector<std::string> split(std::string_view text, char mark) {
    std::vector<std::string> parts;
    while (!text.empty()) parts.emplace_back(take_until(text, std::string_view(&mark, 1)));
    return parts;
}

bool is_marked(std::string_view& text, char mark) {
    if (!text.ends_with(mark)) return false;
    text.remove_suffix(1);
    return true;
}

void read_head(std::string_view line, SchemaObjects& objects, SchemaObject*& current) {
    std::string_view rest = line;
    const bool is_enum = line.find(" = ") != std::string_view::npos;
    std::string_view name = take_until(rest, is_enum ? " = " : ": ");
    SchemaObject object{.is_open = is_marked(name, '+'), .is_part = is_marked(name, '*')};
    object.name = name;
    if (is_enum) {
        object.values = split(take_until(rest, "  "), '|');
        object.about = trimmed(rest);
    } else {
        object.about = rest;
    }
    FF_ASSERT(!objects.contains(object.name));
    current = &objects[object.name];
    *current = std::move(object);
}

void take_members(std::string_view name, const SchemaObjects& objects, SchemaObject& into) {
    const bool optional = is_marked(name, '?');
    const auto found = objects.find(std::string(name));
    FF_ASSERT(found != objects.end());
    for (SchemaMember member : found->second.members) {
        if (optional) member.required = false;
        into.members.push_back(std::move(member));
    }
}

void read_member(std::string_view line, SchemaObject& into) {
    std::string_view rest = line;
    std::string_view name = take_until(rest, " ");
    rest = trimmed(rest);
    SchemaMember member{.required = !is_marked(name, '?')};
    member.name = name;
    member.type = take_until(rest, " ");
    member.about = trimmed(rest);
    FF_ASSERT(!member.type.empty());
    const auto taken = std::ranges::find(into.members, member.name, &SchemaMember::name);
    if (taken != into.members.end()) {
        *taken = std::move(member);
    } else {
        into.members.push_back(std::move(member));
    }
}

/// Whether the text is one bracket: `[a,b]`, not `[a],[b]`.
bool is_bracketed(std::string_view type, char open, char close) {
    if (!type.starts_with(open) || !type.ends_with(close)) return false;
    int depth = 0;
    for (std::size_t i = 0; i + 1 < type.size(); ++i) {
        depth += (type[i] == '[' || type[i] == '{') ? 1 : 0;
        depth -= (type[i] == ']' || type[i] == '}') ? 1 : 0;
        if (depth == 0) return false;
    }
    return true;
}

/// At the commas outside of brackets.
std::vector<std::string> choices_of(std::string_view type) {
    std::vector<std::string> parts(1);
    int depth = 0;
    for (const char c : type) {
        depth += (c == '[' || c == '{') ? 1 : 0;
        depth -= (c == ']' || c == '}') ? 1 : 0;
        if (c == ',' && depth == 0) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

bool is_primitive(std::string_view type) {
    constexpr std::array<std::string_view, 4> kPrimitives = {"string", "integer", "number",
                                                             "boolean"};
    return std::ranges::find(kPrimitives, type) != kPrimitives.end();
}

void write_primitive(json::Writer& out, std::string_view type, bool nullable) {
    out.key("type");
    if (!nullable) {
        out.string(type);
        return;
    }
    out.begin_array().string(type).string("null").end_array();
}

/// `type` has no `?`. Writes into an object that is open already.
void write_type_members(json::Writer& out, std::string_view type, bool nullable);

void write_choices(json::Writer& out, const std::vector<std::string>& choices, bool nullable) {
    if (std::ranges::all_of(choices, is_primitive)) {
        out.key("type").begin_array();
        for (const std::string& choice : choices) out.string(choice);
        if (nullable) out.string("null");
        out.end_array();
        return;
    }
    out.key("anyOf").begin_array();
    for (const std::string& choice : choices) write_type(out, choice);
    if (nullable) out.begin_object().key("type").string("null").end_object();
    out.end_array();
}

void write_values(json::Writer& out, const std::vector<std::string>& values, bool nullable) {
    write_primitive(out, "string", nullable);
    out.key("enum").begin_array();
    for (const std::string& value : values) out.string(value);
    if (nullable) out.null();
    out.end_array();
}

void write_reference(json::Writer& out, std::string_view name, bool nullable) {
    const std::string target = "#/components/schemas/" + std::string(name);
    if (!nullable) {
        out.key("$ref").string(target);
        return;
    }
    out.key("anyOf").begin_array();
    out.begin_object().key("$ref").string(target).end_object();
    out.begin_object().key("type").string("null").end_object();
    out.end_array();
}

void write_type_members(json::Writer& out, std::string_view type, bool nullable) {
    const auto choices = choices_of(type);
    if (choices.size() > 1) return write_choices(out, choices, nullable);
    if (is_bracketed(type, '[', ']') || is_bracketed(type, '{', '}')) {
        const bool is_array = type.front() == '[';
        write_primitive(out, is_array ? "array" : "object", nullable);
        out.key(is_array ? "items" : "additionalProperties");
        return write_type(out, type.substr(1, type.size() - 2));
    }
    if (type.starts_with('=')) return write_values(out, {std::string(type.substr(1))}, nullable);
    if (type.find('|') != std::string_view::npos)
        return write_values(out, split(type, '|'), nullable);
    if (is_primitive(type)) return write_primitive(out, type, nullable);
    if (type == "bytes") return write_primitive(out, "string", nullable);
    if (type == "any") return;
    if (type == "time") {
        write_primitive(out, "integer", nullable);
        out.key("format").string("int64");
        return;
    }
    if (type == "due") {
        out.key("type").begin_array().string("integer").string("string").end_array();
        return;
    }
    FF_ASSERT(type.front() >= 'A' && type.front() <= 'Z');
    write_reference(out, type, nullable);
}

void write_member(json::Writer& out, const SchemaMember& member) {
    out.key(member.name);
    write_type(out, member.type, member.about, member.example);
    if (member.type != "bytes") return;
    out.key(member.name + "_base64").begin_object();
    out.key("type").string("string").key("contentEncoding").string("base64");
    out.key("description").string("Instead of " + member.name + ", for bytes that are no UTF-8");
    out.end_object();
}

template <class State>
void add_states(SchemaObjects& objects, std::string name, std::string about) {
    SchemaObject object{.name = name, .about = std::move(about)};
    for (const std::string_view value : model::state_names<State>())
        object.values.emplace_back(value);
    objects.emplace(std::move(name), std::move(object));
}

}  // namespace

void write_type(json::Writer& out, std::string_view type, std::string_view about,
                std::string_view example) {
    const bool nullable = is_marked(type, '?');
    out.begin_object();
    write_type_members(out, type, nullable);
    if (!about.empty()) out.key("description").string(about);
    if (!example.empty()) out.key("examples").begin_array().raw(example).end_array();
    out.end_object();
}

void write_object(json::Writer& out, const SchemaObject& object) {
    out.begin_object();
    if (!object.about.empty()) out.key("description").string(object.about);
    if (!object.values.empty()) {
        write_values(out, object.values, false);
        out.end_object();
        return;
    }
    out.key("type").string("object").key("properties").begin_object();
    for (const SchemaMember& member : object.members) write_member(out, member);
    out.end_object();
    const auto is_sure = [](const SchemaMember& member) {
        return member.required && member.type != "bytes";
    };
    if (std::ranges::any_of(object.members, is_sure)) {
        out.key("required").begin_array();
        for (const SchemaMember& member : object.members)
            if (is_sure(member)) out.string(member.name);
        out.end_array();
    }
    if (object.is_open) out.key("additionalProperties").boolean(true);
    out.end_object();
}

void read_schemas(std::string_view text, SchemaObjects& objects) {
    SchemaObject* current = nullptr;
    while (!text.empty()) {
        const std::string_view line = take_until(text, "\n");
        const std::string_view content = trimmed(line);
        if (content.empty()) continue;
        if (!line.starts_with(' ')) {
            read_head(line, objects, current);
            continue;
        }
        FF_ASSERT(current != nullptr);
        if (content.starts_with("...")) {
            std::string_view rest = content.substr(3);
            take_members(take_until(rest, " "), objects, *current);
        } else {
            read_member(content, *current);
        }
    }
}

SchemaObjects all_schemas() {
    SchemaObjects objects;
    add_states<model::PublicState>(objects, "PublicState", "The one word for where it stands");
    add_states<model::LifecyclePhase>(objects, "LifecyclePhase", "");
    add_states<model::OwnershipState>(objects, "OwnershipState", "");
    add_states<model::EligibilityState>(objects, "EligibilityState", "");
    add_states<model::BlockingReason>(objects, "BlockingReason", "");
    add_states<model::TerminalOutcome>(objects, "TerminalOutcome", "How it ended");
    add_states<model::AttemptState>(objects, "AttemptState", "");
    for (const std::string_view text :
         {common_schemas(), execution_schemas(), work_schemas(), suspension_schemas(),
          stream_schemas(), flow_schemas(), limit_schemas(), request_schemas()})
        read_schemas(text, objects);
    std::erase_if(objects, [](const auto& entry) { return entry.second.is_part; });
    return objects;
}

}  // namespace ff::api
