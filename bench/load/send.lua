-- The requests of one thread: the given number of messages, each with different recipients, at maximum speed or at a
-- steady rate. Prints "accepted N refused M" after the last response, and the latencies when wrk exits.
-- arguments: messages, recipients per message, rate per second (0: maximum), a file with the JSON text after the
-- recipients, first number, sender, recipients' domain
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

local messages, recipients, intervalMs, number, domain, fields, head, tail
local issued, accepted, refused = 0, 0, 0
local slotMs

function init(args)
  wrk.method = "POST"
  messages, recipients, number = tonumber(args[1]), tonumber(args[2]), tonumber(args[5])
  local rate = tonumber(args[3])
  intervalMs = rate > 0 and 1000 / rate or 0
  domain = args[7]
  local file = assert(io.open(args[4], "rb"))
  tail = file:read("*a")
  file:close()
  head = string.format('{"from":"Shop <%s>","to":[', args[6])
  -- The request line and the fields that are the same for all requests, without the empty line.
  fields = wrk.format():sub(1, -3)
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
  local list = table.concat(to, ",")
  local length = #head + #list + #tail
  -- One concatenation: a long body is copied once.
  return fields .. "Content-Length: " .. length .. "\r\n\r\n" .. head .. list .. tail
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
  io.write(string.format("latency_us %d %d errors %d responses %d refused %d\n", latency:percentile(50),
    latency:percentile(99), e.connect + e.read + e.write + e.timeout, summary.requests, e.status))
end
