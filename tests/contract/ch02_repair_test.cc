// Defects that verification of the whole found in executions and leases, each by its number.

#include "contract/execution.h"

namespace ff::contract {
namespace {

FF_CONTRACT_SUITE(Ch02Repair, ExecutionContract);

TEST_P(Ch02Repair, Repair_07_TheReconcilerRestoresTheFlagOfTheLeaseHistory) {
    Execution e = active();
    ASSERT_EQ(element(e.delay("+0"), 2), "OK");
    ASSERT_TRUE(exists(e.key("lease:history")));
    e.set_core("has_lease_history", "");
    EXPECT_EQ(flat(e.reconcile("check")).back(), "has_lease_history");
    EXPECT_EQ(element(e.reconcile(), 3), "repaired");
    EXPECT_EQ(e.core("has_lease_history"), "1");
    EXPECT_EQ(element(e.reconcile(), 3), "consistent");

    Execution plain = active();
    EXPECT_EQ(element(plain.reconcile(), 3), "consistent");
    plain.set_core("has_lease_history", "1");
    EXPECT_EQ(element(plain.reconcile(), 3), "repaired");
    EXPECT_EQ(plain.core("has_lease_history"), "");
}

}  // namespace
}  // namespace ff::contract
