-- Append entries `first` and on, with a head and an answer if they are given. Returns APPENDED,
-- FENCED, or the last entry if `first` is not the next.

local meta, log, head_key, answer_key, news, ticks = unpack(KEYS)
local _, token, grantee, first, has_head, head, till, answer = unpack(ARGV, 1, 8)
local from = 9
first = tonumber(first)

-- Whether the journal has these very entries, written with this token.
local function stand_there(last)
  if last < first + #ARGV - from then
    return false
  end
  for at = from, #ARGV do
    local id = first + at - from .. '-' .. token
    local found = redis.call('XRANGE', log, id, id)[1]
    if not found or found[2][2] ~= ARGV[at] then
      return false
    end
  end
  return true
end

local last = last_if_owned(meta, token, grantee)
if not last then
  return 'FENCED'
end
if first ~= last + 1 then
  return sent_before and stand_there(last) and 'APPENDED' or last
end
write(meta, log, token, first, from)
if has_head == '1' then
  redis.call('SET', head_key, head)
  announce(news, ticks, head_key)
end
remember(answer_key, answer, till)
return 'APPENDED'
