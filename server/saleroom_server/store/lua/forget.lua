-- Delete a room but for its record. Returns OK or FENCED.

local meta, log, head_key, rooms, news, ticks, trimmed = unpack(KEYS)
local _, room, token, grantee, news_kept = unpack(ARGV)

if not last_if_owned(meta, token, grantee) then
  return sent_before and redis.call('EXISTS', meta) == 0 and 'OK' or 'FENCED'
end
redis.call('DEL', meta, log, head_key)
redis.call('ZREM', rooms, room)
announce(news, ticks, head_key)
local surplus = redis.call('ZCARD', news) - news_kept
if surplus > 0 then
  local taken = redis.call('ZPOPMIN', news, surplus)
  redis.call('SET', trimmed, taken[#taken])
end
return 'OK'
