#pragma once

#include <boost/asio/ssl/context.hpp>

#include "http/tls_keys.h"

namespace ff::http {

struct TlsKeys::Native {
    boost::asio::ssl::context context{boost::asio::ssl::context::tls_server};
};

}  // namespace ff::http
