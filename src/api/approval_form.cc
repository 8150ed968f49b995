#include "api/approval_form.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace ff::api {
namespace {

using Kind = FormField::Kind;

/// From this on a text gets several lines.
constexpr std::size_t kLineMost = 120;

std::string text_of(const json::Value& schema, std::string_view name) {
    const auto value = schema.find(name);
    return std::string(value ? value->as_string().value_or("") : "");
}

std::optional<double> number_of(const json::Value& schema, std::string_view name) {
    const auto value = schema.find(name);
    return value ? value->as_number() : std::nullopt;
}

std::optional<std::size_t> size_of(const json::Value& schema, std::string_view name) {
    const auto value = schema.find(name);
    const auto size = value ? value->as_integer() : std::nullopt;
    return size && *size >= 0 ? std::optional(static_cast<std::size_t>(*size)) : std::nullopt;
}

/// The first of several that is not null.
std::string type_of(const json::Value& schema) {
    const auto type = schema.find("type");
    if (!type) return {};
    if (!type->is_array()) return std::string(type->as_string().value_or(""));
    for (std::size_t i = 0; i < type->size(); ++i) {
        const auto one = type->element(i).as_string();
        if (one && *one != "null") return std::string(*one);
    }
    return {};
}

bool is_scalar(const json::Value& value) {
    return !value.is_object() && !value.is_array();
}

/// The values to choose from; none where they are no simple ones.
std::vector<std::string> choices_of(const json::Value& schema) {
    std::vector<std::string> choices;
    const auto listed = schema.find("enum");
    if (!listed || !listed->is_array()) return choices;
    for (std::size_t i = 0; i < listed->size(); ++i) {
        if (!is_scalar(listed->element(i))) return {};
        choices.push_back(listed->element(i).to_text());
    }
    return choices;
}

std::string plain(double number) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number);
    return {text.data(), end.ptr};
}

std::string plain_value(const std::string& json_text) {
    const auto document = json::Document::parse(json_text);
    return document.has_value() ? api::plain_value(document->root()) : json_text;
}

Kind kind_of(const json::Value& schema, const FormField& field) {
    if (!field.choices.empty()) return Kind::Choice;
    const std::string type = type_of(schema);
    if (type == "boolean") return Kind::Flag;
    if (type == "integer") return Kind::Integer;
    if (type == "number") return Kind::Number;
    if (type != "string") return Kind::Json;
    return field.longest.value_or(0) > kLineMost ? Kind::Lines : Kind::Text;
}

/// Only inputs that every browser has and that send what JSON schema means by the format.
std::string input_of(const json::Value& schema) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kInputs = {
        {{"date", "date"}, {"email", "email"}, {"uri", "url"}, {"time", "time"}}};
    const std::string format = text_of(schema, "format");
    for (const auto& [name, input] : kInputs)
        if (format == name) return std::string(input);
    return {};
}

std::string preset_of(const json::Value& schema, const FormField& field) {
    const auto preset = schema.find("default");
    if (!preset) return {};
    if (field.kind == Kind::Flag) return preset->as_bool().value_or(false) ? "on" : "";
    if (field.kind == Kind::Json) return preset->to_text();
    if (field.kind != Kind::Choice) return is_scalar(*preset) ? api::plain_value(*preset) : "";
    const auto at = std::ranges::find(field.choices, preset->to_text());
    return at == field.choices.end() ? "" : std::to_string(at - field.choices.begin());
}

FormField field_of(std::string_view name, const json::Value& schema) {
    FormField field{.name = std::string(name),
                    .title = text_of(schema, "title"),
                    .hint = text_of(schema, "description"),
                    .minimum = number_of(schema, "minimum"),
                    .maximum = number_of(schema, "maximum"),
                    .shortest = size_of(schema, "minLength").value_or(0),
                    .longest = size_of(schema, "maxLength"),
                    .choices = choices_of(schema)};
    if (field.title.empty()) field.title = field.name;
    field.kind = kind_of(schema, field);
    if (field.kind == Kind::Text) field.input = input_of(schema);
    field.preset = preset_of(schema, field);
    return field;
}

std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// A value, or what is wrong.
struct Value {
    std::string json{};
    std::string problem{};
};

Value read_text(const FormField& field, std::string_view sent) {
    Value value;
    const std::size_t length = characters(sent);
    if (length < field.shortest)
        value.problem = "At least " + std::to_string(field.shortest) + " characters.";
    if (field.longest && length > *field.longest)
        value.problem = "At most " + std::to_string(*field.longest) + " characters.";
    json::Writer(value.json).string(sent);
    return value;
}

Value read_number(const FormField& field, std::string_view sent) {
    const bool whole = field.kind == Kind::Integer;
    const Value wrong{.problem = whole ? "A whole number." : "A number, such as 12.5."};
    const auto document = json::Document::parse(sent);
    if (!document.has_value()) return wrong;
    const auto number = document->root().as_number();
    const auto integer = document->root().as_integer();
    if (!number || !std::isfinite(*number) || (whole && !integer)) return wrong;
    if (field.minimum && *number < *field.minimum)
        return {.problem = "At least " + plain(*field.minimum) + "."};
    if (field.maximum && *number > *field.maximum)
        return {.problem = "At most " + plain(*field.maximum) + "."};
    return {.json = integer ? std::to_string(*integer) : plain(*number)};
}

Value read_choice(const FormField& field, std::string_view sent) {
    for (std::size_t i = 0; i < field.choices.size(); ++i)
        if (sent == std::to_string(i)) return {.json = field.choices[i]};
    return {.problem = "One of the values that are offered."};
}

Value read_json(std::string_view sent) {
    const auto document = json::Document::parse(sent);
    if (!document.has_value()) return {.problem = "JSON, such as [\"a\", \"b\"]."};
    return {.json = document->root().to_text()};
}

/// An empty JSON text stands for a field that was left out.
Value read_field(const FormField& field, std::string_view sent) {
    if (field.kind == Kind::Flag) return {.json = sent.empty() ? "false" : "true"};
    const std::string_view meant =
        field.kind == Kind::Text || field.kind == Kind::Lines ? sent : trimmed(sent);
    if (trimmed(sent).empty())
        return {.problem = field.required ? "An answer is needed here." : ""};
    switch (field.kind) {
        case Kind::Integer:
        case Kind::Number:
            return read_number(field, meant);
        case Kind::Choice:
            return read_choice(field, meant);
        case Kind::Json:
            return read_json(meant);
        case Kind::Flag:
        case Kind::Text:
        case Kind::Lines:
            return read_text(field, meant);
    }
    return {};
}

void write_limits(HtmlWriter& out, const FormField& field) {
    if (field.kind == Kind::Integer || field.kind == Kind::Number) {
        out.attribute("step", field.kind == Kind::Integer ? "1" : "any");
        out.attribute("inputmode", field.kind == Kind::Integer ? "numeric" : "decimal");
        if (field.minimum) out.attribute("min", plain(*field.minimum));
        if (field.maximum) out.attribute("max", plain(*field.maximum));
        return;
    }
    if (field.shortest > 0) out.attribute("minlength", std::to_string(field.shortest));
    if (field.longest) out.attribute("maxlength", std::to_string(*field.longest));
}

/// What all inputs have in common.
struct Place {
    std::string id{};
    bool hinted = false;
    bool wrong = false;
};

void write_common(HtmlWriter& out, const FormField& field, const Place& place) {
    out.attribute("id", place.id).attribute("name", place.id);
    if (field.required && field.kind != Kind::Flag) out.raw(" required");
    if (place.wrong) out.attribute("aria-invalid", "true");
    std::string described;
    if (place.hinted) described = place.id + "-hint";
    if (place.wrong) described += (described.empty() ? "" : " ") + place.id + "-problem";
    if (!described.empty()) out.attribute("aria-describedby", described);
}

void write_choices(HtmlWriter& out, const FormField& field, const std::string& value) {
    out.raw(">");
    if (!field.required || value.empty()) out.raw("<option value=\"\">Choose…</option>");
    for (std::size_t i = 0; i < field.choices.size(); ++i) {
        const std::string index = std::to_string(i);
        out.raw("<option").attribute("value", index);
        if (index == value) out.raw(" selected");
        out.raw(">").text(plain_value(field.choices[i])).raw("</option>");
    }
    out.raw("</select>");
}

void write_input(HtmlWriter& out, const FormField& field, const Place& place,
                 const std::string& value) {
    switch (field.kind) {
        case Kind::Choice:
            out.raw("<select");
            write_common(out, field, place);
            write_choices(out, field, value);
            return;
        case Kind::Lines:
        case Kind::Json:
            out.raw("<textarea rows=\"4\"");
            write_common(out, field, place);
            write_limits(out, field);
            // The first line feed behind the tag is no part of the text.
            out.raw(">\n").text(value).raw("</textarea>");
            return;
        case Kind::Flag:
            out.raw("<input type=\"checkbox\" value=\"on\"");
            write_common(out, field, place);
            if (!value.empty()) out.raw(" checked");
            out.raw(">");
            return;
        case Kind::Text:
        case Kind::Integer:
        case Kind::Number:
            break;
    }
    out.raw("<input");
    const bool number = field.kind != Kind::Text;
    out.attribute("type", number ? "number" : field.input.empty() ? "text" : field.input);
    write_common(out, field, place);
    write_limits(out, field);
    out.attribute("value", value).raw(" autocomplete=\"off\">");
}

void write_label(HtmlWriter& out, const FormField& field, const Place& place) {
    out.raw("<label").attribute("for", place.id).raw(">").text(field.title);
    if (field.required && field.kind != Kind::Flag) out.raw(" <span>needed</span>");
    out.raw("</label>");
}

std::string hint_of(const FormField& field) {
    if (field.kind != Kind::Json) return field.hint;
    return field.hint + (field.hint.empty() ? "" : " ") + "Written as JSON.";
}

}  // namespace

ApprovalForm ApprovalForm::of_schema(std::string_view schema_json) {
    ApprovalForm form;
    const auto document = json::Document::parse(schema_json);
    if (!document.has_value() || !document->root().is_object()) return form;
    const json::Value schema = document->root();
    const auto properties = schema.find("properties");
    const std::string type = type_of(schema);
    if (!properties || !properties->is_object()) {
        // A single value: it gets a name, because the answer is an object.
        if (schema.find("enum") || (!type.empty() && type != "object"))
            form.fields_.push_back(field_of("answer", schema));
        return form;
    }
    for (std::size_t i = 0; i < std::min(properties->size(), kFieldsMost); ++i) {
        const auto [name, property] = properties->member(i);
        if (property.is_object()) form.fields_.push_back(field_of(name, property));
    }
    const auto required = schema.find("required");
    for (std::size_t i = 0; required && required->is_array() && i < required->size(); ++i) {
        const auto name = required->element(i).as_string().value_or("");
        for (FormField& field : form.fields_) field.required = field.required || field.name == name;
    }
    return form;
}

bool ApprovalForm::asks_for(std::string_view name) const {
    return std::ranges::any_of(fields_, [name](const FormField& one) { return one.name == name; });
}

std::string ApprovalForm::title_of(std::string_view name) const {
    const auto found = std::ranges::find(fields_, name, &FormField::name);
    return found == fields_.end() ? std::string(name) : found->title;
}

std::string plain_value(const json::Value& value) {
    const auto text = value.as_string();
    if (text) return std::string(*text);
    const auto flag = value.as_bool();
    if (flag) return *flag ? "yes" : "no";
    const auto number = value.as_number();
    return number && std::isfinite(*number) ? plain(*number) : value.to_text();
}

FormAnswer ApprovalForm::read(const FormInput& input) const {
    FormAnswer answer;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
        const auto sent = input.find(input_name(i));
        const Value value =
            read_field(fields_[i], sent == input.end() ? std::string() : sent->second);
        if (!value.problem.empty()) answer.problems.emplace(i, value.problem);
        if (value.json.empty()) continue;
        if (!answer.members.empty()) answer.members += ',';
        json::Writer(answer.members).string(fields_[i].name);
        answer.members += ':' + value.json;
    }
    return answer;
}

void ApprovalForm::write(HtmlWriter& out, const FormInput* sent,
                         const std::map<std::size_t, std::string>& problems) const {
    for (std::size_t i = 0; i < fields_.size(); ++i) {
        const FormField& field = fields_[i];
        const auto problem = problems.find(i);
        const std::string hint = hint_of(field);
        const Place place{
            .id = input_name(i), .hinted = !hint.empty(), .wrong = problem != problems.end()};
        std::string value = field.preset;
        if (sent != nullptr) {
            const auto given = sent->find(place.id);
            value = given == sent->end() ? std::string() : given->second;
        }
        out.raw(field.kind == Kind::Flag ? "<div class=\"field flag\">" : "<div class=\"field\">");
        if (field.kind == Kind::Flag) write_input(out, field, place, value);
        write_label(out, field, place);
        if (place.hinted)
            out.raw("<p class=\"hint\"")
                .attribute("id", place.id + "-hint")
                .raw(">")
                .text(hint)
                .raw("</p>");
        if (field.kind != Kind::Flag) write_input(out, field, place, value);
        if (place.wrong)
            out.raw("<p class=\"problem\"")
                .attribute("id", place.id + "-problem")
                .raw(">")
                .text(problem->second)
                .raw("</p>");
        out.raw("</div>");
    }
}

}  // namespace ff::api
