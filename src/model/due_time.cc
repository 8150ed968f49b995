#include "model/due_time.h"

#include "base/numbers.h"

namespace ff::model {

Result<DueTime> DueTime::parse(std::string_view text, std::string_view field) {
    const bool relative = text.starts_with('+');
    if (relative) text.remove_prefix(1);
    const auto ms = parse_i64(text);
    const bool in_range = ms && *ms <= kSafeIntegerMax && *ms >= -kSafeIntegerMax;
    if (!in_range || (relative && text.starts_with('-')))
        return invalid_input(field, "not_integer");
    return DueTime(relative, *ms);
}

}  // namespace ff::model
