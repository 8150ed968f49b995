#include "sdk/tls_wire.h"

#include <algorithm>
#include <array>
#include <limits>

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "sdk/public_error.h"

namespace ff::sdk {
namespace {

using flowfabric::Done;
using flowfabric::Error;
using flowfabric::Result;

constexpr std::size_t kRecordBytes = 32 * 1024;

/// The newest complaint of OpenSSL on this thread.
std::string complaint() {
    const unsigned long code = ::ERR_peek_last_error();
    ::ERR_clear_error();
    const char* reason = code == 0 ? nullptr : ::ERR_reason_error_string(code);
    return reason == nullptr ? "TLS failed" : reason;
}

int int_of(std::size_t size) {
    return static_cast<int>(
        std::min(size, static_cast<std::size_t>(std::numeric_limits<int>::max())));
}

/// OpenSSL between two memory buffers; the wire below carries what they hold, so that a server
/// which has gone never raises SIGPIPE in the program.
class TlsWire final : public Wire {
  public:
    TlsWire(std::unique_ptr<Wire> below, SSL_CTX* context)
        : below_(std::move(below)), ssl_(::SSL_new(context), ::SSL_free) {
        ::SSL_set_bio(ssl_.get(), ::BIO_new(::BIO_s_mem()), ::BIO_new(::BIO_s_mem()));
        ::SSL_set_connect_state(ssl_.get());
    }

    Result<Done> shake_hands(const std::string& host, SteadyTime until);
    Result<std::size_t> read(std::span<char> into, SteadyTime until) override;
    Result<Done> write(std::string_view head, std::string_view body, SteadyTime until) override;
    void cut() const override { below_->cut(); }
    bool stale() const override { return ::SSL_pending(ssl_.get()) > 0 || below_->stale(); }

  private:
    Result<Done> expect(const std::string& host);
    /// Sends what OpenSSL has made.
    Result<Done> flush(SteadyTime until);
    /// After a call of OpenSSL that did not finish: gives it what it needs, or tells why not.
    Result<Done> serve(int outcome, SteadyTime until);

    std::unique_ptr<Wire> below_;
    std::unique_ptr<SSL, void (*)(SSL*)> ssl_;
};

/// What the macro SSL_set_tlsext_host_name does, without its old-style casts.
bool name_host(SSL* ssl, std::string host) {
    return ::SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, host.data()) ==
           1;
}

Result<Done> TlsWire::expect(const std::string& host) {
    std::array<unsigned char, sizeof(in6_addr)> address{};
    const bool is_address = ::inet_pton(AF_INET, host.c_str(), address.data()) == 1 ||
                            ::inet_pton(AF_INET6, host.c_str(), address.data()) == 1;
    X509_VERIFY_PARAM* wanted = ::SSL_get0_param(ssl_.get());
    const bool set = is_address
                         ? ::X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) == 1
                         : ::X509_VERIFY_PARAM_set1_host(wanted, host.data(), host.size()) == 1 &&
                               name_host(ssl_.get(), host);
    if (!set) return http_error("tls", complaint());
    return Done{};
}

Result<Done> TlsWire::shake_hands(const std::string& host, SteadyTime until) {
    FF_SDK_TRY([[maybe_unused]] Done named, expect(host));
    while (true) {
        ::ERR_clear_error();
        const int outcome = ::SSL_connect(ssl_.get());
        if (outcome == 1) return flush(until);
        FF_SDK_TRY([[maybe_unused]] Done served, serve(outcome, until));
    }
}

Result<Done> TlsWire::flush(SteadyTime until) {
    std::array<char, kRecordBytes> buffer{};
    while (true) {
        const int size =
            ::BIO_read(::SSL_get_wbio(ssl_.get()), buffer.data(), static_cast<int>(buffer.size()));
        if (size <= 0) return Done{};
        const std::string_view bytes(buffer.data(), static_cast<std::size_t>(size));
        FF_SDK_TRY([[maybe_unused]] Done sent, below_->write(bytes, {}, until));
    }
}

Result<Done> TlsWire::serve(int outcome, SteadyTime until) {
    const int why = ::SSL_get_error(ssl_.get(), outcome);
    if (why == SSL_ERROR_ZERO_RETURN)
        return http_error("connection_lost", "the server closed the connection");
    if (why != SSL_ERROR_WANT_READ) {
        const long verified = ::SSL_get_verify_result(ssl_.get());
        Error error = http_error(
            "tls", verified == X509_V_OK ? complaint() : ::X509_verify_cert_error_string(verified));
        // The other side learns why; whether it does changes nothing here.
        [[maybe_unused]] const auto told = flush(until);
        return error;
    }
    FF_SDK_TRY([[maybe_unused]] Done sent, flush(until));
    std::array<char, kRecordBytes> buffer{};
    FF_SDK_TRY(const std::size_t got, below_->read(buffer, until));
    ::BIO_write(::SSL_get_rbio(ssl_.get()), buffer.data(), static_cast<int>(got));
    return Done{};
}

Result<std::size_t> TlsWire::read(std::span<char> into, SteadyTime until) {
    while (true) {
        ::ERR_clear_error();
        const int got = ::SSL_read(ssl_.get(), into.data(), int_of(into.size()));
        if (got > 0) return static_cast<std::size_t>(got);
        FF_SDK_TRY([[maybe_unused]] Done served, serve(got, until));
    }
}

Result<Done> TlsWire::write(std::string_view head, std::string_view body, SteadyTime until) {
    for (std::string_view piece : {head, body}) {
        while (!piece.empty()) {
            ::ERR_clear_error();
            const int taken =
                ::SSL_write(ssl_.get(), piece.data(), int_of(std::min(piece.size(), kRecordBytes)));
            if (taken > 0) {
                piece.remove_prefix(static_cast<std::size_t>(taken));
                FF_SDK_TRY([[maybe_unused]] Done sent, flush(until));
                continue;
            }
            FF_SDK_TRY([[maybe_unused]] Done served, serve(taken, until));
        }
    }
    return Done{};
}

}  // namespace

Result<std::shared_ptr<const TlsTrust>> TlsTrust::load(const flowfabric::TlsOptions& options) {
    ::ERR_clear_error();
    const std::shared_ptr<SSL_CTX> context(::SSL_CTX_new(::TLS_client_method()), ::SSL_CTX_free);
    if (!context) return flowfabric::config_error(complaint());
    ::SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    ::SSL_CTX_set_verify(context.get(), options.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE,
                         nullptr);
    const bool loaded =
        options.ca_file.empty()
            ? ::SSL_CTX_set_default_verify_paths(context.get()) == 1
            : ::SSL_CTX_load_verify_file(context.get(), options.ca_file.c_str()) == 1;
    if (!loaded)
        return flowfabric::config_error("no certificates in " + options.ca_file + ": " +
                                        complaint());
    return std::shared_ptr<const TlsTrust>(new TlsTrust(context));
}

Result<std::unique_ptr<Wire>> TlsTrust::secure(std::unique_ptr<Wire> wire, const std::string& host,
                                               SteadyTime until) const {
    auto tls = std::make_unique<TlsWire>(std::move(wire), context_.get());
    const auto shaken = tls->shake_hands(host, until);
    if (!shaken) {
        Error error = shaken.error();
        error.message = "TLS with " + host + ": " + error.message;
        return error;
    }
    return std::unique_ptr<Wire>(std::move(tls));
}

}  // namespace ff::sdk
