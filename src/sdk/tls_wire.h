#pragma once

#include <memory>
#include <string>

#include "flowfabric/client_options.h"
#include "sdk/wire.h"

struct ssl_ctx_st;

namespace ff::sdk {

/// What a client believes about certificates; shared by its connections.
class TlsTrust {
  public:
    /// `config` when the file with the authorities cannot be used.
    static flowfabric::Result<std::shared_ptr<const TlsTrust>> load(
        const flowfabric::TlsOptions& options);

    /// TLS over a wire that is connected already, with a server of that name or address.
    flowfabric::Result<std::unique_ptr<Wire>> secure(std::unique_ptr<Wire> wire,
                                                     const std::string& host,
                                                     SteadyTime until) const;

  private:
    explicit TlsTrust(std::shared_ptr<ssl_ctx_st> context) : context_(std::move(context)) {}
    std::shared_ptr<ssl_ctx_st> context_;
};

}  // namespace ff::sdk
