#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace ff::net {

struct TlsOptions {
    /// Certificates to trust, PEM; empty means those of the platform.
    std::string ca_file{};
    /// The name the server must prove and that is sent as SNI; empty means the host connected to.
    std::string server_name{};
    /// Our own certificate and key, PEM, for servers that ask; both or none.
    std::string certificate_file{};
    std::string key_file{};
};

/// TLS settings, loaded once and shared by all connections made with them. The server's
/// certificate is always verified.
class TlsContext {
  public:
    /// A file that does not load is `invalid_client_config`.
    static Result<std::shared_ptr<const TlsContext>> load(TlsOptions options);
    ~TlsContext();

    struct Native;
    Native& native() const { return *native_; }
    const std::string& server_name() const { return server_name_; }

  private:
    TlsContext(std::unique_ptr<Native> native, std::string server_name);

    std::unique_ptr<Native> native_;
    std::string server_name_;
};

}  // namespace ff::net
