#include "api/schema.h"

namespace ff::api {
namespace {

constexpr std::string_view kObjects = R"schema(
Error: Why a request was refused or failed
  error        string            The same sentence as message, under its older name
  message      string            What happened, to what, and what to do about it
  code         string            Stable, for programs
  class        ErrorClass        What to do about it
  kind         string            The transport kind of a storage failure, or the code
  retryable    boolean           Whether the same request may be sent again later
  detail       [string]          The parts of the message; a refused field comes first
  fields?      {string,integer}  The same parts by name
  limit_bytes? integer           Of a body that is too large: what the route takes
  route?       string            Of a body that is too large
  errors?      [GraphProblem]    Everything that is wrong with a graph document
ErrorClass = terminal|retryable|cooperative|informational|expected|soft_error|bug
ItemError*: Why one item of a request was refused
  status       completed|created|duplicate|renewed|error|ok|already_applied|soft_breach|hard_breach   error, and then the members below say why
  code?        string            Stable, for programs
  class?       ErrorClass        What to do about it
  retryable?   boolean           Whether the item may be sent again later
  error?       string            For people
  detail?      [string]          The parts of the sentence; a refused field comes first
GraphProblem: One thing that is wrong with a graph document
  code         string
  path         string            Where in the document, such as nodes[3].depends_on[0]
  message      string
  names?       [string]          The nodes of a cycle
Page*: What every listing ends with
  next_cursor  string?           Sent as cursor it gives the next page; null on the last one
Health: Whether the server reaches its store
  status       ok|degraded
  reason?      string            What is degraded
Readiness: Whether the server takes requests
  status       ok|degraded
  reason?      string
  memory?      StoreMemory
StoreMemory: Of the embedded store, in bytes
  state        string
  used         integer
  limit        integer           0 where there is none
Capabilities: What a server is and can do
  backend         embedded|valkey
  version         string
  library_version integer       Of the function library in the store
  lua?            LuaEngine
  partitions      PartitionCounts
  lanes           [string]
  features        {boolean}
  store_warnings  [string]      Settings of a Valkey that endanger its data, as sentences
LuaEngine: Of the embedded store
  engine  string
  jit     on|off
PartitionCounts: How many partitions there are
  flow    integer
  budget  integer
  quota   integer
BackupSummary: What was copied
  status   =copied
  shards   integer
  records  integer
  bytes    integer
AuditPage: What operators did, oldest first
  events  [AuditEvent]
  next    string         Sent as after it gives the next page
AuditEvent: One thing an operator did
  id          string
  event       string
  actor       string     The fingerprint of a token, or anonymous
  remote      string
  request_id  string
  subject     string
  detail      string
  outcome     string
  ts          time
)schema";

}  // namespace

std::string_view common_schemas() {
    return kObjects;
}

}  // namespace ff::api
