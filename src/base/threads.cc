#include "base/threads.h"

#if defined(__linux__)
#include <sched.h>
#endif

namespace ff {

void take_work_in_batches() {
#if defined(__linux__)
    // A hint: where it is refused the thread is only woken too eagerly.
    const sched_param any{};
    ::sched_setscheduler(0, SCHED_BATCH, &any);
#endif
}

}  // namespace ff
