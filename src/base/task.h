#pragma once

#include <boost/asio/awaitable.hpp>

#include "base/result.h"

namespace ff {

/// An asynchronous operation that ends with a value or an Error. Awaited exactly once, where it
/// was made.
template <class T>
using Task = boost::asio::awaitable<Result<T>>;

}  // namespace ff
