/** What happens to a value in the server. It is kept as one text: its version, and behind it what was written. */
import { createScript } from "./script.ts";

/** Characters of a version, all of them ASCII. */
export const versionLength = 16;

/**
 * Writes a value if its version is the expected one, and answers whether it is written. A value that has the new version
 * already was written by the same operation, whose reply was lost.
 */
export const setScript = /* @__PURE__ */ createScript(`
local key, version, value, ttl, mode, expected = KEYS[1], unpack(ARGV)
local found = redis.call('GETRANGE', key, 0, ${versionLength - 1})
if found == version then
  return 1
end
if (mode == 'absent' and found ~= '') or (mode == 'version' and found ~= expected) then
  return 0
end
if ttl == '' then
  redis.call('SET', key, version .. value)
elseif ttl == '0' then
  redis.call('DEL', key)
else
  redis.call('SET', key, version .. value, 'PX', ttl)
end
return 1
`);

/** Deletes a value of one version, and answers whether it did. */
export const deleteScript = /* @__PURE__ */ createScript(`
if redis.call('GETRANGE', KEYS[1], 0, ${versionLength - 1}) ~= ARGV[1] then
  return 0
end
return redis.call('DEL', KEYS[1])
`);
