-- Make a node's first lease, and count it in one with that: of two nodes that look for others
-- after this, the later one finds the earlier. Returns the lease.

local lease, nodes, arrivals = unpack(KEYS)
local _, name, incarnation, address, lease_ms = unpack(ARGV)

local now = redis.call('TIME')
local value = cjson.encode({
  name = name,
  incarnation = incarnation,
  address = address,
  arrival = redis.call('INCR', arrivals),
  since = now[1] * 1000 + math.floor(now[2] / 1000),
})
redis.call('SET', lease, value, 'PX', lease_ms)
redis.call('SADD', nodes, name .. ':' .. incarnation)
return value
