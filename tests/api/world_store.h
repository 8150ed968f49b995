#pragma once

#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "base/random.h"
#include "base/task.h"
#include "store/store.h"

namespace ff::testing {

/// A store of one kind and what is below it. Opened, stopped and destroyed on the server's loop.
class WorldStore {
  public:
    virtual ~WorldStore() = default;
    virtual Task<Done> open(boost::asio::any_io_executor loop, Random& random) = 0;
    virtual store::Store& store() = 0;
    /// From the test's thread.
    virtual void stop_process() = 0;
    virtual void start_process() = 0;
};

/// `embedded` or `valkey`; throws on any other name.
std::unique_ptr<WorldStore> make_world_store(const std::string& name);

}  // namespace ff::testing
