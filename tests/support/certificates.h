#pragma once

#include <string>

#include "support/temp_dir.h"

namespace ff::testing {

/// A certificate authority made for one test and a server certificate for `localhost` and
/// 127.0.0.1 that it has signed; the files go with this object. A second object is a stranger that
/// the first one's clients must not trust.
class Certificates {
  public:
    /// Throws when the openssl program fails.
    Certificates();

    std::string ca_file() const { return folder_.file("ca.pem"); }
    std::string server_certificate_file() const { return folder_.file("server.pem"); }
    std::string server_key_file() const { return folder_.file("server.key"); }

  private:
    TempDir folder_{};
};

}  // namespace ff::testing
