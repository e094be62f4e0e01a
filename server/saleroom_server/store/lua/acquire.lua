-- Take a room over. Returns token and last entry; or the owner, who lives and need not give way;
-- or nothing: no room.

local meta, tokens = unpack(KEYS)
local _, node, call, settling_s, by_force = unpack(ARGV)

local function has_lease(owner)
  return redis.call('EXISTS', 'n:' .. owner) == 1
end

local function just_started()
  local up = string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)')
  return tonumber(up) < tonumber(settling_s)
end

-- A lease that is gone says its owner is dead only if others could have been renewed meanwhile:
-- when Redis itself was away, stopped or frozen, it has taken all of them along. Should this err,
-- the token still sees to it that only one of them writes.
local function may_live(owner)
  return has_lease(owner) or not has_lease(node) or just_started()
end

local known = redis.call('HMGET', meta, 'token', 'owner', 'call', 'last')
local token, owner, given_by, last = unpack(known, 1, 4)
if not token then
  return false
end
if given_by ~= call then
  if by_force == '0' and owner ~= '' and owner ~= node and may_live(owner) then
    return owner
  end
  token = grant(meta, tokens, node, call)
end
return { tonumber(token), tonumber(last) }
