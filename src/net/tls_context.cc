#include "net/tls_context.h"

#include <utility>

#include "net/tls_native.h"

namespace ff::net {
namespace {

namespace ssl = boost::asio::ssl;

Error bad_file(std::string_view what, const std::string& path,
               const boost::system::error_code& failure) {
    return Error{.code = "invalid_client_config",
                 .message = "TLS " + std::string(what) + " " + path + ": " + failure.message()};
}

}  // namespace

TlsContext::TlsContext(std::unique_ptr<Native> native, std::string server_name)
    : native_(std::move(native)), server_name_(std::move(server_name)) {}

TlsContext::~TlsContext() = default;

Result<std::shared_ptr<const TlsContext>> TlsContext::load(TlsOptions options) {
    auto native = std::make_unique<Native>();
    ssl::context& context = native->context;
    boost::system::error_code failure;
    context.set_options(ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1, failure);
    context.set_verify_mode(ssl::verify_peer, failure);
    if (options.ca_file.empty()) {
        context.set_default_verify_paths(failure);
    } else {
        context.load_verify_file(options.ca_file, failure);
    }
    if (failure) return bad_file("CA file", options.ca_file, failure);
    if (!options.certificate_file.empty()) {
        context.use_certificate_chain_file(options.certificate_file, failure);
        if (failure) return bad_file("certificate", options.certificate_file, failure);
        context.use_private_key_file(options.key_file, ssl::context::pem, failure);
        if (failure) return bad_file("key", options.key_file, failure);
    }
    return std::shared_ptr<const TlsContext>(
        new TlsContext(std::move(native), std::move(options.server_name)));
}

}  // namespace ff::net
