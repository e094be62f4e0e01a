-- Make a room. Returns its token, or nothing if the id is taken.

local meta, log, head_key, record, rooms, tokens, answer_key, news, ticks = unpack(KEYS)
local _, room, node, call, head, till, answer = unpack(ARGV, 1, 7)

local known = redis.call('HMGET', meta, 'token', 'call')
if known[2] == call then
  return tonumber(known[1])
end
if known[1] or redis.call('EXISTS', record) == 1 then
  return false
end
local token = grant(meta, tokens, node, call)
write(meta, log, token, 1, 8)
redis.call('SET', head_key, head)
redis.call('ZADD', rooms, token, room)
announce(news, ticks, head_key)
remember(answer_key, answer, till)
return token
