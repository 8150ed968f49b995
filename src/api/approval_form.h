#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/html.h"
#include "base/json.h"

namespace ff::api {

/// One thing that a form asks for: a property of the JSON schema of the answer.
struct FormField {
    /// `Json`: what has no input of its own is written as JSON text.
    enum class Kind : std::uint8_t { Text, Lines, Integer, Number, Flag, Choice, Json };

    std::string name{};
    Kind kind = Kind::Text;
    std::string title{};
    std::string hint{};
    bool required = false;
    /// Of the input: date, email, url; empty for plain text.
    std::string input{};
    std::optional<double> minimum{};
    std::optional<double> maximum{};
    std::size_t shortest = 0;
    std::optional<std::size_t> longest{};
    /// JSON texts of the values to choose from.
    std::vector<std::string> choices{};
    /// What stands there at first, as an input says it.
    std::string preset{};
};

/// What a browser sent, by the names of the inputs.
using FormInput = std::map<std::string, std::string>;

/// What became of it.
struct FormAnswer {
    /// Members of a JSON object, without its braces.
    std::string members{};
    /// What is wrong, by the position of the field.
    std::map<std::size_t, std::string> problems{};
};

/// The form that people fill in to answer: made from a small JSON schema, read without trust.
class ApprovalForm {
  public:
    /// No more fields than this are asked for.
    static constexpr std::size_t kFieldsMost = 50;

    ApprovalForm() = default;
    /// Text that is no JSON schema makes an empty form.
    static ApprovalForm of_schema(std::string_view schema_json);

    const std::vector<FormField>& fields() const { return fields_; }
    bool asks_for(std::string_view name) const;
    /// What people know the property as.
    std::string title_of(std::string_view name) const;
    /// The name of the input of a field.
    static std::string input_name(std::size_t field) { return "field" + std::to_string(field); }

    FormAnswer read(const FormInput& input) const;
    /// The inputs, filled with what was sent before, and what was wrong with it.
    void write(HtmlWriter& out, const FormInput* sent,
               const std::map<std::size_t, std::string>& problems) const;

  private:
    std::vector<FormField> fields_{};
};

/// A JSON value as people read it: a text without its quotes, yes or no, 249.9.
std::string plain_value(const json::Value& value);

}  // namespace ff::api
