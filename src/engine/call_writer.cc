#include "engine/call_writer.h"

#include <charconv>
#include <utility>

#include "base/assert.h"

namespace ff::engine {

void CallWriter::arg(std::string_view name, std::int64_t number) {
    char digits[24];
    const char* end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    arg(name, std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

void CallWriter::arg(std::string_view name, const model::ExecutionId& id) {
    char text[model::ExecutionId::kTextMax];
    arg(name, std::string_view(text, static_cast<std::size_t>(id.write_text(text) - text)));
}

void CallWriter::arg(std::string_view name, const model::Uuid& uuid) {
    char text[model::Uuid::kTextSize];
    uuid.write_text(text);
    arg(name, std::string_view(text, sizeof text));
}

void CommandWriter::begin(std::string_view function, std::size_t key_count) {
    // A usual call has about 20 keys and arguments of less than 80 bytes.
    command_.reserve(1024, key_count + 20);
    command_.arg("FCALL").arg(function).arg(key_count);
    keys_left_ = key_count;
}

void CommandWriter::key(std::string_view, std::string_view key) {
    FF_ASSERT(keys_left_ > 0);
    --keys_left_;
    command_.arg(key);
}

void CommandWriter::arg(std::string_view, std::string_view bytes) {
    FF_ASSERT(keys_left_ == 0);
    command_.arg(bytes);
}

resp::Command CommandWriter::take() && {
    FF_ASSERT(keys_left_ == 0);
    return std::move(command_);
}

}  // namespace ff::engine
