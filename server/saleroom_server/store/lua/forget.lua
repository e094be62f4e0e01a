-- Delete a room but for its record. Returns OK or FENCED.

local meta, log, head_key, rooms, news, ticks = unpack(KEYS)
local _, room, token, grantee, news_kept = unpack(ARGV)

if not last_if_owned(meta, token, grantee) then
  return sent_before and redis.call('EXISTS', meta) == 0 and 'OK' or 'FENCED'
end
redis.call('DEL', meta, log, head_key)
redis.call('ZREM', rooms, room)
announce(news, ticks, head_key)
redis.call('ZREMRANGEBYRANK', news, 0, -1 - news_kept)
return 'OK'
