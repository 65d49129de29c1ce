-- Requests the pages listed in a file, one after the other, and prints one line of JSON at the end.
local page_path = os.getenv("BENCH_PATH")
local etag = os.getenv("BENCH_ETAG")
local pages, requests, at = {}, {}, 0

if etag then wrk.headers["If-None-Match"] = etag end
for line in io.lines(os.getenv("BENCH_PAGES")) do pages[#pages + 1] = line end

if #pages == 1 then
  -- Without a request function wrk sends one prepared request, which costs it the least.
  wrk.path = page_path .. pages[1]
else
  init = function()
    -- Formatted once: doing it for every page would count as much as some thousand requests.
    local before, after = wrk.format("GET", page_path .. "@page@"):match("^(.-)@page@(.*)$")
    for index = 1, #pages do requests[index] = before .. pages[index] .. after end
  end
  request = function()
    at = at % #requests + 1
    return requests[at]
  end
end

done = function(summary, latency)
  local errors = summary.errors
  print(string.format(
    '{"requests":%d,"seconds":%.6f,"errors":%d,"p50Micros":%.1f,"p99Micros":%.1f}',
    summary.requests, summary.duration / 1e6,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50), latency:percentile(99)
  ))
end
