#include "hub/probe.h"

namespace ff::hub {

Probe& no_probe() {
    static Probe none;
    return none;
}

}  // namespace ff::hub
