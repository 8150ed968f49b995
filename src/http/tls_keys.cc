#include "http/tls_keys.h"

#include <utility>

#include "http/tls_native.h"

namespace ff::http {
namespace ssl = boost::asio::ssl;

namespace {

Error bad_file(std::string_view what, const std::string& path,
               const boost::system::error_code& failure) {
    return Error{.code = "config",
                 .detail = {path},
                 .message = "TLS " + std::string(what) + " " + path + ": " + failure.message()};
}

}  // namespace

TlsKeys::TlsKeys(std::string certificate_file, std::string key_file)
    : certificate_file_(std::move(certificate_file)), key_file_(std::move(key_file)) {}

TlsKeys::~TlsKeys() = default;

Result<std::shared_ptr<TlsKeys>> TlsKeys::load(std::string certificate_file, std::string key_file) {
    std::shared_ptr<TlsKeys> keys(new TlsKeys(std::move(certificate_file), std::move(key_file)));
    FF_CHECK(keys->reload());
    return keys;
}

Result<Done> TlsKeys::reload() {
    auto fresh = std::make_shared<Native>();
    ssl::context& context = fresh->context;
    boost::system::error_code failure;
    context.set_options(ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1, failure);
    context.use_certificate_chain_file(certificate_file_, failure);
    if (failure) return bad_file("certificate", certificate_file_, failure);
    context.use_private_key_file(key_file_, ssl::context::pem, failure);
    if (failure) return bad_file("key", key_file_, failure);
    native_ = std::move(fresh);
    return Done{};
}

}  // namespace ff::http
