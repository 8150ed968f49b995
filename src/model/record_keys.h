#pragma once

#include <string>

#include "model/exec_keys.h"

namespace ff::model {

/// Names of the keys that hold what an execution recorded and called.
class RecordKeys {
  public:
    explicit RecordKeys(const ExecKeys& keys) : keys_(keys) {}

    std::string steps() const { return of_execution(":steps"); }
    std::string children() const { return of_execution(":children"); }
    std::string children_pending() const { return of_execution(":children:pending"); }

  private:
    std::string of_execution(std::string_view suffix) const {
        return concat({"ff:exec:", keys_.tag(), ":", keys_.id(), suffix});
    }

    const ExecKeys& keys_;
};

}  // namespace ff::model
