#include <charconv>
#include <cmath>
#include <optional>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/value_stack.hpp>

#include "base/json.h"

namespace ff::json {
namespace {

namespace bj = boost::json;

constexpr std::size_t kDepthMax = 32;
constexpr std::size_t kTreeBytesLeast = 512;

/// Builds the values that the parser reports. Ours differs from the library's in one point: the
/// parser of 1.81 may miss the nearest double by a bit, so the digits are read again.
class Builder {
  public:
    // The library prescribes these names.
    // NOLINTBEGIN(readability-identifier-naming)
    static constexpr std::size_t max_object_size = bj::object::max_size();
    static constexpr std::size_t max_array_size = bj::array::max_size();
    static constexpr std::size_t max_key_size = bj::string::max_size();
    static constexpr std::size_t max_string_size = bj::string::max_size();
    // NOLINTEND(readability-identifier-naming)

    /// The values will be in that memory, which outlives them.
    explicit Builder(bj::monotonic_resource& memory) : memory_(&memory) {}

    bj::value release() { return stack_.release(); }

    bool on_document_begin(bj::error_code&) {
        stack_.reset(memory_);
        return true;
    }
    bool on_document_end(bj::error_code&) { return true; }
    bool on_object_begin(bj::error_code&) { return true; }
    bool on_object_end(std::size_t count, bj::error_code&) {
        stack_.push_object(count);
        return true;
    }
    bool on_array_begin(bj::error_code&) { return true; }
    bool on_array_end(std::size_t count, bj::error_code&) {
        stack_.push_array(count);
        return true;
    }
    bool on_key_part(bj::string_view text, std::size_t, bj::error_code&) {
        stack_.push_chars(text);
        return true;
    }
    bool on_key(bj::string_view text, std::size_t, bj::error_code&) {
        stack_.push_key(text);
        return true;
    }
    bool on_string_part(bj::string_view text, std::size_t, bj::error_code&) {
        stack_.push_chars(text);
        return true;
    }
    bool on_string(bj::string_view text, std::size_t, bj::error_code&) {
        stack_.push_string(text);
        return true;
    }
    bool on_number_part(bj::string_view, bj::error_code&) { return true; }
    bool on_int64(std::int64_t value, bj::string_view, bj::error_code&) {
        stack_.push_int64(value);
        return true;
    }
    bool on_uint64(std::uint64_t value, bj::string_view, bj::error_code&) {
        stack_.push_uint64(value);
        return true;
    }
    /// `digits` is the whole number, because the text was given in one piece.
    bool on_double(double near, bj::string_view digits, bj::error_code& failure) {
        double exact = near;
        const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), exact);
        // Out of range is also what is too small to tell from zero; that keeps the library's value.
        stack_.push_double(read.ec == std::errc{} ? exact : near);
        if (std::isfinite(near)) return true;
        failure = make_error_code(bj::error::exponent_overflow);
        return false;
    }
    bool on_bool(bool value, bj::error_code&) {
        stack_.push_bool(value);
        return true;
    }
    bool on_null(bj::error_code&) {
        stack_.push_null();
        return true;
    }
    bool on_comment_part(bj::string_view, bj::error_code&) { return true; }
    bool on_comment(bj::string_view, bj::error_code&) { return true; }

  private:
    bj::monotonic_resource* memory_;
    bj::value_stack stack_{};
};

}  // namespace

/// The memory of all values is taken in a few pieces and given back at once, without a look at
/// them: names and values of a request would be an allocation each.
struct Document::Tree {
    explicit Tree(std::size_t bytes) : memory(bytes) {}

    bj::monotonic_resource memory;
    std::optional<bj::value> root{};
};

Result<Document> Document::parse(std::string_view text) {
    auto tree = std::make_unique<Tree>(text.size() + kTreeBytesLeast);
    bj::parse_options options;
    options.max_depth = kDepthMax;
    bj::basic_parser<Builder> parser(options, tree->memory);
    bj::error_code failure;
    const std::size_t read = parser.write_some(false, text.data(), text.size(), failure);
    if (!failure && read < text.size()) failure = make_error_code(bj::error::extra_data);
    if (failure) return invalid_input("json", failure.message());
    tree->root.emplace(parser.handler().release());
    return Document(std::move(tree));
}

Document::Document(std::unique_ptr<Tree> tree) : tree_(std::move(tree)) {}
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

Value Document::root() const {
    return Value(*tree_->root);
}

}  // namespace ff::json
