#pragma once

#include <compare>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "model/uuid.h"

namespace ff::model {

/// An id whose text is a UUID. `Tag` makes each kind a type of its own, so that a flow id cannot
/// stand where a budget id is meant.
template <class Tag>
class UuidId {
  public:
    explicit UuidId(Uuid uuid) : uuid_(uuid) {}
    static Result<UuidId> parse(std::string_view text) {
        FF_TRY(const Uuid uuid, Uuid::parse(text));
        return UuidId(uuid);
    }
    static UuidId mint(Random& random) { return UuidId(Uuid::mint_v4(random)); }

    const Uuid& uuid() const { return uuid_; }
    std::string to_string() const { return uuid_.to_string(); }

    friend auto operator<=>(const UuidId&, const UuidId&) = default;

  private:
    Uuid uuid_;
};

/// An id that is text under the rules of `Tag`, a struct with `kField` (its name in errors) and
/// `check(text, field)`. A value in hand has passed them.
template <class Tag>
class TextId {
  public:
    /// `field` names the input in the error where the specification asks for it.
    static Result<TextId> parse(std::string_view text, std::string_view field = Tag::kField) {
        FF_CHECK(Tag::check(text, field));
        return TextId(std::string(text));
    }

    const std::string& text() const { return text_; }
    std::string to_string() const { return text_; }
    std::string take_text() && { return std::move(text_); }

    friend auto operator<=>(const TextId&, const TextId&) = default;

  private:
    explicit TextId(std::string text) : text_(std::move(text)) {}
    std::string text_;
};

}  // namespace ff::model

template <class Tag>
struct std::hash<ff::model::UuidId<Tag>> {
    std::size_t operator()(const ff::model::UuidId<Tag>& id) const noexcept {
        return std::hash<ff::model::Uuid>{}(id.uuid());
    }
};

template <class Tag>
struct std::hash<ff::model::TextId<Tag>> {
    std::size_t operator()(const ff::model::TextId<Tag>& id) const noexcept {
        return std::hash<std::string>{}(id.text());
    }
};
