-- Keep a record beside the journal; the first stays. Returns OK or FENCED.

local meta, record = unpack(KEYS)
local _, token, grantee, head, packed = unpack(ARGV)

local kept = redis.call('EXISTS', record) == 1
if not last_if_owned(meta, token, grantee) and not (sent_before and kept) then
  return 'FENCED'
end
if not kept then
  redis.call('HSET', record, 'head', head, 'packed', packed)
end
return 'OK'
