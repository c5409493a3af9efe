/** KEYS: value. ARGV: the expected value, the new one, its lifetime in ms. */
export const SET_IF_SAME = `
if redis.call("GET", KEYS[1]) ~= ARGV[1] then return 0 end
redis.call("SET", KEYS[1], ARGV[2], "PX", ARGV[3])
return 1`;

/** Of a record: how many characters its other fields have. */
export const SIZE_FIELD = "";

/**
 * KEYS: record. ARGV: its lifetime in ms, the most characters, whether it may be new (0 or 1), then fields and values. Returns
 * 0 if there is no such record, 1 if the fields are set, 2 if it would become too large.
 */
export const SET_FIELDS = `
if ARGV[3] == "0" and redis.call("EXISTS", KEYS[1]) == 0 then return 0 end
local size = tonumber(redis.call("HGET", KEYS[1], "") or 0)
for i = 4, #ARGV, 2 do
  local old = redis.call("HGET", KEYS[1], ARGV[i])
  if old then size = size - #ARGV[i] - #old end
  size = size + #ARGV[i] + #ARGV[i + 1]
end
if size > tonumber(ARGV[2]) then return 2 end
redis.call("HSET", KEYS[1], "", size, unpack(ARGV, 4))
redis.call("PEXPIRE", KEYS[1], ARGV[1])
return 1`;

/** KEYS: record. ARGV: field. */
export const DELETE_FIELD = `
local old = redis.call("HGET", KEYS[1], ARGV[1])
if not old then return 0 end
redis.call("HDEL", KEYS[1], ARGV[1])
redis.call("HINCRBY", KEYS[1], "", -(#ARGV[1] + #old))
return 1`;

/**
 * KEYS: log, its counter, its size. ARGV: the entry, the most entries, the most bytes or 0, their lifetime in ms, whether the
 * counter outlives them (0 or 1), the channel of the followers, who get number and entry.
 */
export const APPEND = `
local number = redis.call("INCR", KEYS[2])
local most, limit = tonumber(ARGV[2]), tonumber(ARGV[3])
local length = redis.call("XLEN", KEYS[1]) + 1
local size = #ARGV[1]
if length > 1 then size = size + tonumber(redis.call("GET", KEYS[3]) or 0) end
redis.call("XADD", KEYS[1], number .. "-0", "e", ARGV[1])
while length > most or (limit > 0 and size > limit and length > 1) do
  local oldest = redis.call("XRANGE", KEYS[1], "-", "+", "COUNT", 1)[1]
  redis.call("XDEL", KEYS[1], oldest[1])
  size = math.max(0, size - #oldest[2][2])
  length = length - 1
end
redis.call("SET", KEYS[3], size, "PX", ARGV[4])
redis.call("PEXPIRE", KEYS[1], ARGV[4])
if ARGV[5] == "0" then redis.call("PEXPIRE", KEYS[2], ARGV[4]) end
redis.call("PUBLISH", ARGV[6], number .. " " .. ARGV[1])
return number`;

/** KEYS: bucket. ARGV: burst, tokens per second, how many to take. One clock for all replicas: that of Redis. */
export const TAKE = `
local burst, rate, most = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local kept = redis.call("HMGET", KEYS[1], "tokens", "at")
local tokens = tonumber(kept[1]) or burst
local elapsed = math.max(0, now - (tonumber(kept[2]) or now))
tokens = math.min(burst, tokens + elapsed * rate / 1000)
local taken, wait = math.min(most, math.floor(tokens)), 0
if taken == 0 then wait = math.ceil((1 - tokens) / rate * 1000) end
redis.call("HSET", KEYS[1], "tokens", tostring(math.min(burst, tokens - taken)), "at", now)
redis.call("PEXPIRE", KEYS[1], math.ceil(burst / rate * 1000) + 1000)
return { taken, wait }`;
