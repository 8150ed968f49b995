#pragma once

#include <cstdint>
#include <string_view>

#include "keyspace/effects.h"
#include "keyspace/value.h"

namespace ff::keyspace {

/// Effects that build the value under a key that is absent.
void write_key(EffectWriter& out, const SymbolTable& fields, std::string_view key,
               const Value& value);
void write_expiry(EffectWriter& out, std::string_view key, std::int64_t at_ms);

}  // namespace ff::keyspace
