#pragma once

#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "valkey/valkey_store.h"

namespace ff::app {

/// What in the settings or the version of a Valkey endangers its data, a sentence each. Asks every
/// primary; one that does not answer, or may not, is not warned of.
boost::asio::awaitable<std::vector<std::string>> store_warnings(valkey::ValkeyStore& store);

}  // namespace ff::app
