#pragma once

namespace ff::keyspace {

struct Call;

// One handler per command. The number of arguments has been checked against the table.

void run_time(Call& call);
void run_exists(Call& call);
void run_del(Call& call);
void run_persist(Call& call);
void run_copy(Call& call);
void run_pexpire(Call& call);
void run_pexpireat(Call& call);

void run_get(Call& call);
void run_set(Call& call);
void run_strlen(Call& call);
void run_incr(Call& call);
void run_decr(Call& call);

void run_hget(Call& call);
void run_hmget(Call& call);
void run_hgetall(Call& call);
void run_hkeys(Call& call);
void run_hlen(Call& call);
void run_hexists(Call& call);
void run_hset(Call& call);
void run_hsetnx(Call& call);
void run_hdel(Call& call);
void run_hincrby(Call& call);

void run_sadd(Call& call);
void run_srem(Call& call);
void run_sismember(Call& call);
void run_smembers(Call& call);
void run_scard(Call& call);
void run_sscan(Call& call);

void run_rpush(Call& call);
void run_lrange(Call& call);

void run_zadd(Call& call);
void run_zrem(Call& call);
void run_zscore(Call& call);
void run_zcard(Call& call);
void run_zcount(Call& call);
void run_zrange(Call& call);
void run_zrevrange(Call& call);
void run_zrangebyscore(Call& call);
void run_zremrangebyscore(Call& call);

void run_xadd(Call& call);
void run_xtrim(Call& call);
void run_xlen(Call& call);
void run_xrange(Call& call);
void run_xrevrange(Call& call);
void run_xread(Call& call);

}  // namespace ff::keyspace
