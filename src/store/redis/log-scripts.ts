/**
 * What happens to a log in the server. Each has three keys: the stream with its entries (`v` the value, `p` the position
 * before it); a hash with the `last` position, the `bytes` kept, the `ttl` of entries and the `first` position that may be
 * kept; and the tokens of recent appends, by position, so that an append whose reply was lost is not made twice.
 *
 * The hash outlives the entries until the clock has passed the last position, so that positions grow in any case.
 */
import { createScript } from "./script.ts";

/**
 * How long a token is remembered, in milliseconds: longer than whoever appends tries, and than a client library takes to
 * connect again and to send what was not answered.
 */
const tokenMs = 60_000;
/** How much longer than needed a last position is kept, in milliseconds: for a server that takes over with a slow clock. */
const marginMs = 60_000;

const prelude = `
local stream, state, tokens = unpack(KEYS)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function positionOf(id)
  return tonumber(string.match(id, '^%d+'))
end
`;

/**
 * Adds an entry, drops what is beyond the limits, and answers its position and the one before it.
 *
 * Its own entry is written first: a server without memory refuses that, and then nothing has happened.
 */
export const appendScript = /* @__PURE__ */ createScript(`${prelude}
local token, value = ARGV[1], ARGV[2]
local ttl, maxEntries, maxBytes = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])

local made = redis.call('ZSCORE', tokens, token)
if made then
  local id = string.format('%.0f-0', made)
  local entry = redis.call('XRANGE', stream, id, id)[1]
  -- Where it is gone already, so is what was before it.
  return { tonumber(made), entry and tonumber(entry[2][4]) or made - 1 }
end

local known = redis.call('HMGET', state, 'last', 'bytes', 'first')
local count = redis.call('XLEN', stream)
local last = tonumber(known[1] or 0)
local previous = count > 0 and last or 0
local bytes = (count > 0 and tonumber(known[2]) or 0) + #value
local position = math.max(now, last + 1)
redis.call('XADD', stream, string.format('%.0f-0', position), 'v', value, 'p', string.format('%.0f', previous))
count = count + 1

local first = count > 1 and tonumber(known[3] or 0) or position
local isTrimmed = false
while count > 1 do
  local isMany = (maxEntries and count > maxEntries) or (maxBytes and bytes > maxBytes)
  if not isMany and not (ttl and first <= now - ttl) then
    break
  end
  local entry = redis.call('XRANGE', stream, string.format('%.0f-0', first), '+', 'COUNT', 1)[1]
  first = positionOf(entry[1])
  if not isMany and first > now - ttl then
    break
  end
  count = count - 1
  bytes = bytes - #entry[2][2]
  first = first + 1
  isTrimmed = true
end
if isTrimmed then
  redis.call('XTRIM', stream, 'MINID', string.format('%.0f-0', first))
end

redis.call('HSET', state, 'last', string.format('%.0f', position), 'bytes', bytes, 'ttl', ttl or '',
  'first', string.format('%.0f', first))
if ttl then
  redis.call('PEXPIRE', stream, string.format('%.0f', ttl))
  redis.call('PEXPIRE', state, string.format('%.0f', ttl + position - now + ${marginMs}))
else
  redis.call('PERSIST', stream)
  redis.call('PERSIST', state)
end
redis.call('ZADD', tokens, string.format('%.0f', position), token)
redis.call('ZREMRANGEBYSCORE', tokens, '-inf', string.format('(%.0f', now - ${tokenMs}))
redis.call('PEXPIRE', tokens, ${tokenMs})
return { position, previous }
`);

/**
 * Answers the last position, and up to where the time of entries is over; nothing where there is no log. The entries are
 * read beside it, because a script that passes many on costs several times as much.
 */
export const headScript = /* @__PURE__ */ createScript(`${prelude}
if redis.call('EXISTS', stream) == 0 then
  return false
end
local known = redis.call('HMGET', state, 'last', 'ttl')
local ttl = tonumber(known[2])
return { tonumber(known[1] or 0), ttl and math.max(0, now - ttl) or 0 }
`);

/** Forgets the entries. Tokens stay: an append before this whose reply was lost must not begin the log again. */
export const dropScript = /* @__PURE__ */ createScript(`${prelude}
redis.call('UNLINK', stream)
local last = redis.call('HGET', state, 'last')
if last then
  redis.call('PEXPIRE', state, string.format('%.0f', math.max(0, last - now) + ${marginMs}))
end
return 1
`);
