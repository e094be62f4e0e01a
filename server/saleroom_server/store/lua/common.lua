-- Stands before every script.
--
-- {room}:m is a hash: token (the newest), owner (who may be waited for; empty once released),
-- grantee (whom the token was given), call (by which it was given), last (the last entry).
-- ARGV[1] is 1 if the call was sent before and nobody knows whether it ran: then a script has to
-- know its own work again, and answers as it did or would have done.

local sent_before = ARGV[1] == '1'

-- The last entry of a room, if the token is the newest and was given to the one who shows it. A
-- failover that loses writes can give the same number twice: hence the grantee.
local function last_if_owned(meta, token, grantee)
  local known = redis.call('HMGET', meta, 'token', 'grantee', 'last')
  return known[1] == token and known[2] == grantee and tonumber(known[3])
end

-- A new token of a room for a node, as the work of one call.
local function grant(meta, tokens, node, call)
  local token = redis.call('INCR', tokens)
  redis.call('HSET', meta, 'token', token, 'owner', node, 'grantee', node, 'call', call)
  return token
end

-- Write entries `first` and on: the arguments from `from` on.
local function write(meta, log, token, first, from)
  for at = from, #ARGV do
    redis.call('XADD', log, first + at - from .. '-' .. token, 'e', ARGV[at])
  end
  redis.call('HSET', meta, 'last', first + #ARGV - from)
end

-- Let every node see that a room has another head, or none any more.
local function announce(news, ticks, head_key)
  redis.call('ZADD', news, redis.call('INCR', ticks), string.match(head_key, '^{(.*)}:head$'))
end

-- The first answer stays until its time is over; Redis forgets it then.
local function remember(key, answer, till)
  if till ~= '' then
    redis.call('SET', key, answer, 'NX', 'PXAT', till)
  end
end
