#include "valkey/router.h"

namespace ff::valkey {

ConnectionOptions connection_options(const Options& options, const net::Address& address) {
    return ConnectionOptions{.address = address,
                             .session = options.session,
                             .limits = options.pipeline,
                             .reconnect = options.reconnect,
                             .silence_max = options.silence_max,
                             .hold_while_down = !options.cluster};
}

}  // namespace ff::valkey
