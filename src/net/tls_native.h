#pragma once

#include <boost/asio/ssl/context.hpp>

#include "net/tls_context.h"

namespace ff::net {

struct TlsContext::Native {
    boost::asio::ssl::context context{boost::asio::ssl::context::tls_client};
};

}  // namespace ff::net
