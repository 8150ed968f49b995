#include "model/refusal.h"

#include <string>

namespace ff::model {

Error refuse(std::string_view word) {
    return Error{.code = "invalid_input",
                 .cls = ErrorClass::Terminal,
                 .detail = {std::string(word)},
                 .message = "invalid input: " + std::string(word)};
}

Error refuse_with(std::string_view word, std::string_view what) {
    std::string text(word);
    text += '(';
    text += what;
    text += ')';
    return refuse(text);
}

Error refuse_with(std::string_view word, std::size_t what) {
    return refuse_with(word, std::to_string(what));
}

}  // namespace ff::model
