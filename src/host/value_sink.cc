#include "host/value_sink.h"

#include <cstring>
#include <utility>

#include "base/assert.h"

namespace ff::host {

/// Makes the value of what a sink has kept.
class ValueSink::Reader {
  public:
    explicit Reader(ValueSink& sink) : sink_(sink) {}

    resp::Value value() {
        using resp::Type;
        using resp::Value;
        const auto type = static_cast<Type>(sink_.bytes_[at_++]);
        switch (type) {
            case Type::Integer:
                return Value::integer(word<std::int64_t>());
            case Type::Double:
                return Value::real(word<double>());
            case Type::BulkString:
                return Value::bulk(text());
            case Type::SimpleString:
                return Value::simple(text());
            case Type::Error:
                return Value::error(text());
            case Type::Array:
                return Value::array(items());
            case Type::Map:
                return Value::map(items());
            case Type::Set:
                return Value::set(items());
            default:
                return {};
        }
    }

  private:
    template <class Word>
    Word word() {
        Word word{};
        FF_ASSERT(sink_.bytes_.size() - at_ >= sizeof(word));
        std::memcpy(&word, sink_.bytes_.data() + at_, sizeof(word));
        at_ += sizeof(word);
        return word;
    }

    std::string text() {
        const auto size = word<std::size_t>();
        if (size >= kLargeBytes) return std::move(sink_.large_[large_++]);
        std::string text = sink_.bytes_.substr(at_, size);
        at_ += size;
        return text;
    }

    resp::Value::Items items() {
        const auto count = word<std::size_t>();
        resp::Value::Items items;
        items.reserve(count);
        for (std::size_t i = 0; i < count; ++i) items.push_back(value());
        return items;
    }

    ValueSink& sink_;
    std::size_t at_ = 0;
    std::size_t large_ = 0;
};

void ValueSink::add_text(resp::Type type, std::string_view text) {
    add_word(type, text.size());
    if (text.size() >= kLargeBytes)
        large_.emplace_back(text);
    else
        bytes_.append(text);
}

resp::Value ValueSink::take() {
    if (bytes_.empty()) return {};
    resp::Value value = Reader(*this).value();
    bytes_ = {};
    large_ = {};
    return value;
}

}  // namespace ff::host
