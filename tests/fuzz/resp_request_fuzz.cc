// Any bytes: the reader of requests gives the same requests and the same error however they are
// cut, and never a view outside its buffer.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "resp/request_parser.h"

namespace {

using ff::resp::RequestParser;
using ff::resp::RequestStatus;

std::string read(std::string_view bytes, std::size_t piece) {
    RequestParser parser({.args_max = 1024, .bulk_bytes_max = 65536, .inline_bytes_max = 512});
    std::string shown;
    std::size_t start = 0;
    for (std::size_t end = piece; end < bytes.size() + piece; end += piece) {
        // An exact copy at a new address: a stale or overlong view is seen by the sanitizer.
        const std::size_t held = std::min(end, bytes.size());
        const std::unique_ptr<char[]> moved(new char[held]);
        std::copy_n(bytes.data(), held, moved.get());
        const std::string_view buffer(moved.get(), held);
        RequestStatus status = parser.parse(buffer, start);
        for (; status == RequestStatus::Complete; status = parser.parse(buffer, start)) {
            for (const std::string_view arg : parser.argv()) shown.append(arg).append("|");
            shown += '\n';
            start += parser.consumed();
        }
        if (status == RequestStatus::Error) return shown.append(parser.error());
        if (parser.need() == 0) std::abort();
    }
    return shown;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    if (read(bytes, bytes.size()) != read(bytes, std::size_t{1} + data[0] % 16)) std::abort();
    return 0;
}
