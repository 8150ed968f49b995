#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/json.h"
#include "base/numbers.h"
#include "base/result.h"
#include "model/due_time.h"

namespace ff::api {

/// In bytes.
struct TextLimits {
    std::size_t least = 0;
    std::size_t most = std::size_t{16} << 20;
};

struct IntegerLimits {
    std::int64_t least = -kSafeIntegerMax;
    std::int64_t most = kSafeIntegerMax;
};

struct CountLimits {
    std::size_t least = 0;
    std::size_t most = 1000;
};

/// An `invalid_input` whose detail names the field, from a parser that did not know its name.
Error within_field(Error error, const std::string& field);

/// Reads the members of a JSON object, and says which member was not as it should be. `null` means
/// absent. Every method answers `invalid_input` with detail `<field>:<why>`, `why` being one of
/// `missing`, `not_string`, `not_integer`, `not_number`, `not_boolean`, `not_object`, `not_array`,
/// `too_short`, `too_long`, `out_of_range`, `not_base64`, `given_twice`, `path_mismatch`.
///
/// Valid while the document is.
class Fields {
  public:
    /// `place` goes in front of the names in errors: `completions[2].`
    explicit Fields(json::Value object, std::string place = {})
        : object_(object), place_(std::move(place)) {}

    bool has(std::string_view name) const { return object_.find(name).has_value(); }
    const json::Value& value() const { return object_; }
    /// The name of a member as errors tell it.
    std::string full_name(std::string_view name) const { return place_ + std::string(name); }
    Error refuse(std::string_view name, std::string_view why) const;

    Result<std::string> text(std::string_view name, TextLimits limits = {}) const;
    Result<std::optional<std::string>> text_if(std::string_view name, TextLimits limits = {}) const;
    Result<std::string> text_or(std::string_view name, std::string_view otherwise,
                                TextLimits limits = {}) const;

    Result<std::int64_t> integer(std::string_view name, IntegerLimits limits = {}) const;
    Result<std::optional<std::int64_t>> integer_if(std::string_view name,
                                                   IntegerLimits limits = {}) const;
    Result<std::int64_t> integer_or(std::string_view name, std::int64_t otherwise,
                                    IntegerLimits limits = {}) const;

    Result<std::optional<double>> number_if(std::string_view name) const;
    Result<std::optional<bool>> flag_if(std::string_view name) const;
    Result<bool> flag_or(std::string_view name, bool otherwise) const;

    /// An object as its members.
    Result<Fields> fields(std::string_view name) const;
    Result<std::optional<Fields>> fields_if(std::string_view name) const;
    /// An object as JSON text, for what is stored as such.
    Result<std::optional<std::string>> object_text_if(std::string_view name) const;

    /// Absent counts as empty where `least` is 0.
    Result<std::vector<json::Value>> array(std::string_view name, CountLimits limits = {}) const;
    /// An array of objects.
    Result<std::vector<Fields>> objects(std::string_view name, CountLimits limits = {}) const;
    Result<std::vector<std::string>> texts(std::string_view name, CountLimits count = {},
                                           TextLimits each = {}) const;
    /// An object whose members are all strings.
    Result<std::optional<std::map<std::string, std::string>>> text_map_if(
        std::string_view name) const;
    Result<std::optional<std::map<std::string, std::int64_t>>> integer_map_if(
        std::string_view name, IntegerLimits each = {}) const;

    /// `x` as text or `x_base64`; both is an error.
    Result<std::optional<Bytes>> bytes_if(std::string_view name) const;
    /// An integer or `"+<ms>"`.
    Result<std::optional<model::DueTime>> due_if(std::string_view name) const;

    /// What a `T::parse(text)` makes of the member.
    template <class T>
    Result<T> id(std::string_view name) const;
    template <class T>
    Result<std::optional<T>> id_if(std::string_view name) const;

    /// Refuses members of other names, with the one of these that was probably meant.
    Result<Done> only(std::span<const std::string_view> known) const;
    Result<Done> only(std::initializer_list<std::string_view> known) const {
        return only(std::span(known.begin(), known.size()));
    }

    /// If present, the member must be the same text as that of the path.
    Result<Done> matches_path(std::string_view name, std::string_view in_path) const;

  private:
    Result<std::optional<json::Value>> typed(std::string_view name, json::Kind kind,
                                             std::string_view why) const;

    json::Value object_;
    std::string place_;
};

/// `x` when the bytes are UTF-8, `x_base64` otherwise.
void write_bytes(json::Writer& out, std::string_view name, std::string_view bytes);

template <class T>
Result<T> Fields::id(std::string_view name) const {
    FF_TRY(const std::string given, text(name));
    auto parsed = T::parse(given);
    if (!parsed.has_value()) return within_field(std::move(parsed).error(), full_name(name));
    return *std::move(parsed);
}

template <class T>
Result<std::optional<T>> Fields::id_if(std::string_view name) const {
    if (!has(name)) return std::optional<T>();
    FF_TRY(T value, id<T>(name));
    return std::optional<T>(std::move(value));
}

}  // namespace ff::api
