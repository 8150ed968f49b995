#pragma once

namespace ff {

/// The calling thread takes work that others gather for it. When it is woken it should not push the
/// waker aside: what it would find then is one piece of many that are just being handed over.
void take_work_in_batches();

}  // namespace ff
