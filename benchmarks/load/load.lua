-- Run by wrk: `-- DEPTH` after the URL sends that many requests at once on each connection, waits for all their answers,
-- and then sends the next ones. Prints one line of JSON at the end, as wrk's own summary rounds.

function init(arguments)
   local depth = tonumber(arguments[1])
   local one = wrk.format()
   -- wrk asks wrk.format once for the request that it then repeats; a `request` function would run Lua for each.
   wrk.format = function() return one:rep(depth) end
end

function done(summary, latency)
   local errors = summary.errors
   io.write(string.format(
      '{"requests":%d,"micros":%d,"p50":%d,"p99":%d,"connect":%d,"read":%d,"write":%d,"timeout":%d,"status":%d}\n',
      summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
      errors.connect, errors.read, errors.write, errors.timeout, errors.status))
end
