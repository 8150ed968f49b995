#include "base/digest.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/assert.h"

namespace ff {
namespace {

const unsigned char* as_unsigned(std::string_view bytes) {
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

constexpr std::size_t kSha1Bytes = 20;

}  // namespace

Bytes sha1(std::string_view bytes) {
    Bytes out(kSha1Bytes, '\0');
    unsigned length = 0;
    const int ok =
        EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(out.data()),
                   &length, EVP_sha1(), nullptr);
    FF_ASSERT(ok == 1 && length == kSha1Bytes);
    return out;
}

void prepare_digests() {
    sha1({});
}

std::string sha1_hex(std::string_view bytes) {
    return to_hex(sha1(bytes));
}

std::string sha256_hex(std::string_view bytes) {
    constexpr std::size_t kSha256Bytes = 32;
    Bytes out(kSha256Bytes, '\0');
    unsigned length = 0;
    const int ok =
        EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(out.data()),
                   &length, EVP_sha256(), nullptr);
    FF_ASSERT(ok == 1 && length == kSha256Bytes);
    return to_hex(out);
}

Bytes hmac_sha1(std::string_view key, std::string_view message) {
    Bytes out(kSha1Bytes, '\0');
    unsigned length = 0;
    const unsigned char* done =
        HMAC(EVP_sha1(), key.data(), static_cast<int>(key.size()), as_unsigned(message),
             message.size(), reinterpret_cast<unsigned char*>(out.data()), &length);
    FF_ASSERT(done != nullptr && length == kSha1Bytes);
    return out;
}

}  // namespace ff
