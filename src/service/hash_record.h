#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "store/call.h"

namespace ff::service {

/// A stored hash, read field by field. A missing number is 0; one that does not parse makes
/// `finish` a `parse_error` that names record and field. A view: the reply outlives it.
class HashRecord {
  public:
    HashRecord(std::string_view what, const store::Reply& all_fields)
        : what_(what), reply_(&all_fields) {}

    bool empty() const { return reply_->items().empty(); }
    std::string text(std::string_view field) const;
    std::int64_t number(std::string_view field);
    /// Absent, empty and 0 are all "not yet".
    std::optional<Timestamp> time(std::string_view field);
    Result<Done> finish() const;

  private:
    std::string what_;
    const store::Reply* reply_;
    std::string bad_field_{};
};

/// The texts of a reply's items, for sets and lists.
std::vector<std::string> texts_of(const store::Reply& reply);

}  // namespace ff::service
