#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace ff::http {

/// The certificate chain and key that a server proves itself with, PEM files both. Connections made
/// after a reload use what was loaded then. Lives on the server's loop.
class TlsKeys {
  public:
    /// A file that does not load, or a key that does not fit, is `config`.
    static Result<std::shared_ptr<TlsKeys>> load(std::string certificate_file,
                                                 std::string key_file);
    ~TlsKeys();

    /// Reads the files again; what was loaded before stays when they are no good.
    Result<Done> reload();

    struct Native;
    /// For one connection, which keeps it.
    std::shared_ptr<Native> native() const { return native_; }

  private:
    TlsKeys(std::string certificate_file, std::string key_file);

    std::string certificate_file_;
    std::string key_file_;
    std::shared_ptr<Native> native_;  // shared with the connections made with it
};

}  // namespace ff::http
