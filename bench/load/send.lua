-- The requests of one thread: the given number of messages, each with different recipients, at maximum speed or at a
-- steady rate. Prints "accepted N refused M" after the last response, and the latencies when wrk exits.
-- arguments: messages, recipients per message, rate per second (0: maximum), body bytes, first number, sender, recipients' domain
local ffi = require("ffi")
ffi.cdef [[
  typedef struct { long seconds; long nanoseconds; } bench_time;
  int clock_gettime(int clock, bench_time *now);
]]
local MONOTONIC = 1
local NEVER_MS = 1e9
local reading = ffi.new("bench_time")

local function nowMs()
  ffi.C.clock_gettime(MONOTONIC, reading)
  return tonumber(reading.seconds) * 1000 + tonumber(reading.nanoseconds) / 1e6
end

local messages, recipients, intervalMs, number, domain, head, tail
local issued, accepted, refused = 0, 0, 0
local slotMs

function init(args)
  wrk.method = "POST"
  messages, recipients, number = tonumber(args[1]), tonumber(args[2]), tonumber(args[5])
  local rate = tonumber(args[3])
  intervalMs = rate > 0 and 1000 / rate or 0
  domain = args[7]
  local line = "The quick brown fox jumps over the lazy dog, 0123456789 times or so.\\n"
  local text = string.rep(line, math.ceil(tonumber(args[4]) / (#line - 1)))
  head = string.format('{"from":"Shop <%s>","to":[', args[6])
  tail = '],"subject":"Your order is on its way","text":"' .. text .. '"}'
end

-- Called before each request of a connection: the only place where a request can be delayed.
function delay()
  issued = issued + 1
  if issued > messages then return NEVER_MS end
  if intervalMs == 0 then return 0 end
  local now = nowMs()
  slotMs = slotMs and slotMs + intervalMs or now
  return math.max(0, math.floor(slotMs - now))
end

function request()
  local to = {}
  for i = 1, recipients do
    to[i] = string.format('"u%d@%s"', number, domain)
    number = number + 1
  end
  return wrk.format(nil, nil, nil, head .. table.concat(to, ",") .. tail)
end

function response(status)
  if status == 202 then accepted = accepted + 1 else refused = refused + 1 end
  if accepted + refused == messages then
    io.write(string.format("accepted %d refused %d\n", accepted, refused))
    io.flush()
  end
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format("latency_us %d %d errors %d\n", latency:percentile(50), latency:percentile(99),
    e.connect + e.read + e.write + e.timeout))
end
