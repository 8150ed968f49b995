#include "base/thread_manners.h"

#include <sched.h>

namespace ff {
namespace {

/// From one of two policies that anybody may choose to the other; others are left alone. Says
/// whether it was done.
bool change_policy(int from, int to) {
    if (sched_getscheduler(0) != from) return false;
    const sched_param no_priority{};
    return sched_setscheduler(0, to, &no_priority) == 0;
}

}  // namespace

GivesWay::GivesWay() : changed_(change_policy(SCHED_OTHER, SCHED_BATCH)) {}

GivesWay::~GivesWay() {
    if (changed_) change_policy(SCHED_BATCH, SCHED_OTHER);
}

void take_precedence() {
    change_policy(SCHED_BATCH, SCHED_OTHER);
}

}  // namespace ff
