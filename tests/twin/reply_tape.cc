#include "twin/reply_tape.h"

#include <cstring>

namespace ff::twin {
namespace {

using testing::RespValue;

class Reader {
  public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}

    RespValue value() {
        RespValue out;
        const char type = rest_.empty() ? '_' : rest_.front();
        if (rest_.empty() || type == '_') {
            rest_.remove_prefix(rest_.empty() ? 0 : 1);
            return out;
        }
        const auto number = word<std::int64_t>();
        out.integer = number;
        switch (type) {
            case ':':
                out.kind = RespValue::Kind::Integer;
                break;
            case ',':
                out.kind = RespValue::Kind::Double;
                break;
            case '*':
                out.kind = RespValue::Kind::Array;
                out.integer = 0;
                out.items.reserve(static_cast<std::size_t>(number));
                for (std::int64_t i = 0; i < number; ++i) out.items.push_back(value());
                break;
            default:
                out.kind = type == '-'   ? RespValue::Kind::Error
                           : type == '+' ? RespValue::Kind::Simple
                                         : RespValue::Kind::Bulk;
                out.integer = 0;
                out.text = rest_.substr(0, static_cast<std::size_t>(number));
                rest_.remove_prefix(out.text.size());
        }
        return out;
    }

  private:
    template <class Word>
    Word word() {
        Word out{};
        std::memcpy(&out, rest_.data() + 1, sizeof(out));
        rest_.remove_prefix(1 + sizeof(out));
        return out;
    }

    std::string_view rest_;
};

}  // namespace

RespValue ReplyTape::value() const {
    return Reader(bytes_).value();
}

}  // namespace ff::twin
