-- Let the next one take a room over at once, if the token is the newest.

local meta = KEYS[1]
local _, token, grantee = unpack(ARGV)

if last_if_owned(meta, token, grantee) then
  redis.call('HSET', meta, 'owner', '')
end
return 'OK'
