-- The Redis store: the rule of claims.py, run inside the server so that one page costs one round trip.
--
-- Keys, all under one hash tag:
--   <tag>:meta              hash: version, form, epoch (drawn when the store was made), last (page number), pages,
--                           hints, buckets, floor (pages up to that number have expired), swept (lists deleted so far)
--   <tag>:<epoch>:b:<i>     bucket i of the index, a string of 8-byte entries: hint (4) and page number (4)
--   <tag>:<epoch>:p:<i>     list of PAGES_A_LIST page records: story (4), number of fingerprints (2), fingerprints
--                           (6 each), page id; an empty element is a page that was forgotten
--   <tag>:<epoch>:claims    hash: page number -> since (8, double), kind (1), owner
--   <tag>:<epoch>:slices    list of moments with the last page number at each: time (8, double), number (4); only with
--                           expiry, which so needs no time in every record
--   <tag>:state             hash of small values
-- A worker says which epoch it knows; when the store was flushed meanwhile, it learns so before it trusts an answer.
-- A hint is the first four bytes of a fingerprint or of the SHA-1 of a page id; what it finds is compared in full.
-- The number of buckets grows by linear hashing, one split at a time, so that no claim pays for many.

local PAGES_A_LIST = 64
local HINTS_A_BUCKET = 96
local ENTRY = 8
local KEPT = 6
local SLICES = 16

local tag = KEYS[1]
local meta = tag .. ':meta'
local op = ARGV[1]
local epoch = ARGV[2]
local buckets_key = tag .. ':' .. epoch .. ':b:'
local lists_key = tag .. ':' .. epoch .. ':p:'
local claims = tag .. ':' .. epoch .. ':claims'
local slices = tag .. ':' .. epoch .. ':slices'

if op == 'open' then
  if redis.call('EXISTS', meta) == 0 then
    redis.call('HSET', meta, 'version', ARGV[3], 'form', ARGV[4], 'epoch', epoch, 'last', 0, 'pages', 0, 'hints', 0,
               'buckets', 1, 'floor', 0, 'swept', 0)
  end
  return redis.call('HMGET', meta, 'version', 'form', 'epoch')
end
if redis.call('HGET', meta, 'epoch') ~= epoch then
  return redis.error_reply('WEBPREPRESET the store was flushed or replaced')
end

-- counters are read once and written once ---------------------------------------------------------------------------

local counters = {}
for i, value in ipairs(redis.call('HMGET', meta, 'last', 'pages', 'hints', 'buckets', 'floor', 'swept')) do
  counters[i] = tonumber(value)
end
local last, pages, hints, buckets, floor, swept = unpack(counters)

local function save()
  redis.call('HSET', meta, 'last', last, 'pages', pages, 'hints', hints, 'buckets', buckets, 'floor', floor, 'swept', swept)
end

-- the index ---------------------------------------------------------------------------------------------------------

local function level()
  local size = 1
  while size * 2 <= buckets do size = size * 2 end
  return size
end

local function bucket_of(hint)
  local size = level()
  local value = struct.unpack('>I4', hint)
  local place = value % (size * 2)
  if place >= buckets then place = value % size end
  return buckets_key .. string.format('%d', place)
end

local function numbers_in(bucket, hint)
  local found, from = {}, 1
  while true do
    local at = string.find(bucket, hint, from, true)
    if not at then return found end
    if (at - 1) % ENTRY == 0 then
      found[#found + 1] = struct.unpack('>I4', bucket, at + 4)
      from = at + ENTRY
    else
      from = at + 1
    end
  end
end

-- A bucket without entries of expired pages. They stand in front, since numbers grow, so that one look tells.
local function purged(key)
  local content = redis.call('GET', key) or ''
  if floor == 0 or content == '' or struct.unpack('>I4', content, 5) > floor then return content end
  local stay = {}
  for at = 1, #content, ENTRY do
    if struct.unpack('>I4', content, at + 4) > floor then stay[#stay + 1] = string.sub(content, at, at + ENTRY - 1) end
  end
  hints = hints - (#content / ENTRY - #stay)
  content = table.concat(stay)
  if content == '' then redis.call('DEL', key) else redis.call('SET', key, content) end
  return content
end

local function postings(hint)
  return numbers_in(purged(bucket_of(hint)), hint)
end

local function split()
  local size = level()
  local old = buckets_key .. string.format('%d', buckets - size)
  local new = buckets_key .. string.format('%d', buckets)
  local content = purged(old)
  local stay, go = {}, {}
  for at = 1, #content, ENTRY do
    local entry = string.sub(content, at, at + ENTRY - 1)
    if struct.unpack('>I4', entry) % (size * 2) == buckets then
      go[#go + 1] = entry
    else
      stay[#stay + 1] = entry
    end
  end
  if #stay > 0 then redis.call('SET', old, table.concat(stay)) else redis.call('DEL', old) end
  if #go > 0 then redis.call('SET', new, table.concat(go)) end
  buckets = buckets + 1
end

local function post(hint, number)
  redis.call('APPEND', bucket_of(hint), hint .. struct.pack('>I4', number))
  hints = hints + 1
  if hints > buckets * HINTS_A_BUCKET then split() end
end

local function unpost(hint, number)
  local key = bucket_of(hint)
  local content = redis.call('GET', key) or ''
  local entry = hint .. struct.pack('>I4', number)
  local from = 1
  while true do
    local at = string.find(content, entry, from, true)
    if not at then return end
    if (at - 1) % ENTRY == 0 then
      content = string.sub(content, 1, at - 1) .. string.sub(content, at + ENTRY)
      if #content > 0 then redis.call('SET', key, content) else redis.call('DEL', key) end
      hints = hints - 1
      return
    end
    from = at + 1
  end
end

-- page records ------------------------------------------------------------------------------------------------------

local function place_of(number)
  local list = math.floor((number - 1) / PAGES_A_LIST)
  return lists_key .. string.format('%d', list), (number - 1) % PAGES_A_LIST
end

local function read_claim(number)
  local packed = redis.call('HGET', claims, number)
  if not packed then return nil end
  local since, kind = struct.unpack('>dB', packed)
  return { since = since, kind = kind == 1 and 'new' or 'changed', owner = string.sub(packed, 10) }
end

local function write_claim(number, claim)
  if claim then
    local packed = struct.pack('>dB', claim.since, claim.kind == 'new' and 1 or 2) .. claim.owner
    redis.call('HSET', claims, number, packed)
  else
    redis.call('HDEL', claims, number)
  end
end

local function get(number)
  if number <= floor then return nil end
  local key, index = place_of(number)
  local packed = redis.call('LINDEX', key, index)
  if not packed or packed == '' then return nil end
  local story, count = struct.unpack('>I4H', packed)
  local fingerprints = {}
  for i = 1, count do
    fingerprints[i] = string.sub(packed, 7 + (i - 1) * KEPT, 6 + i * KEPT)
  end
  return { number = number, id = string.sub(packed, 7 + count * KEPT), fingerprints = fingerprints, story = story,
           claim = read_claim(number) }
end

local function find(id, address)
  for _, number in ipairs(postings(address)) do
    local record = get(number)
    if record and record.id == id then return record end
  end
end

local function write(record, address, most_postings)
  local packed = struct.pack('>I4H', record.story, #record.fingerprints) .. table.concat(record.fingerprints) .. record.id
  local key, index = place_of(record.number)
  if record.number > last then
    last = record.number
    redis.call('RPUSH', key, packed)
  else
    redis.call('LSET', key, index, packed)
  end
  pages = pages + 1
  post(address, record.number)
  for _, fingerprint in ipairs(record.fingerprints) do
    local hint = string.sub(fingerprint, 1, 4)
    if #postings(hint) < most_postings then post(hint, record.number) end
  end
  write_claim(record.number, record.claim)
end

local function remove(record, address)
  local key, index = place_of(record.number)
  redis.call('LSET', key, index, '')
  pages = pages - 1
  unpost(address, record.number)
  for _, fingerprint in ipairs(record.fingerprints) do
    unpost(string.sub(fingerprint, 1, 4), record.number)
  end
  write_claim(record.number, nil)
end

-- Forget what is older than `expire` seconds: at once by the floor, the records themselves a few lists at a time.
local function expire_pages(now, expire)
  local newest = redis.call('LINDEX', slices, -1)
  if not newest or now - struct.unpack('>d', newest) >= expire / SLICES then
    redis.call('RPUSH', slices, struct.pack('>dI4', now, last))
  end
  local since, number = struct.unpack('>dI4', redis.call('LINDEX', slices, 0))
  if now - since >= expire then
    floor = number
    redis.call('LPOP', slices)
  end
  for _ = 1, 4 do
    if (swept + 1) * PAGES_A_LIST > floor then return end
    local key = lists_key .. string.format('%d', swept)
    for index, record in ipairs(redis.call('LRANGE', key, 0, -1)) do
      if record ~= '' then
        pages = pages - 1
        redis.call('HDEL', claims, swept * PAGES_A_LIST + index)
      end
    end
    redis.call('DEL', key)
    swept = swept + 1
  end
end

-- the rule of claims.py ---------------------------------------------------------------------------------------------

local function verdict(kind, twin, share, story, pending)
  return { kind, twin or '', string.format('%.17g', share), story or '', pending and 1 or 0 }
end

local function set_of(fingerprints)
  local set = {}
  for _, fingerprint in ipairs(fingerprints) do set[fingerprint] = true end
  return set
end

local function count_shared(fingerprints, set)
  local shared = 0
  for _, fingerprint in ipairs(fingerprints) do
    if set[fingerprint] then shared = shared + 1 end
  end
  return shared
end

local function story_id(nearest, story)
  local first = story > 0 and get(story) or nil
  if first then return first.id end
  return nearest and nearest.id or nil
end

local function site_of(id)
  return string.match(id, '://([^/]*)') or ''
end

local function claim_page()
  local id, address, owner = ARGV[3], ARGV[4], ARGV[5]
  local now, lease = tonumber(ARGV[6]), tonumber(ARGV[7])
  local replica_share, story_share = tonumber(ARGV[8]), tonumber(ARGV[9])
  local common_pages, most_postings = tonumber(ARGV[10]), tonumber(ARGV[11])
  local fingerprints = {}
  for i = 14, #ARGV do fingerprints[#fingerprints + 1] = ARGV[i] end
  local expire, same_site_factor = tonumber(ARGV[12]), tonumber(ARGV[13])
  if expire > 0 then expire_pages(now, expire) end

  local function awaits(record)
    return record.claim ~= nil and record.claim.owner ~= owner
  end
  local function passes_over(record)
    return awaits(record) and now - record.claim.since > lease
  end
  local function taken(kind)
    return { owner = owner, since = now, kind = kind }
  end

  local function nearest()
    local weights, shared, order, total = {}, {}, {}, 0
    for i, fingerprint in ipairs(fingerprints) do
      local found = postings(string.sub(fingerprint, 1, 4))
      local weight = 1
      if #found > 0 then weight = math.min(1, common_pages / #found) end
      weights[i] = weight
      total = total + weight
      for _, number in ipairs(found) do
        if not shared[number] then
          shared[number] = 0
          order[#order + 1] = number
        end
        shared[number] = shared[number] + weight
      end
    end
    table.sort(order, function(a, b)
      if shared[a] ~= shared[b] then return shared[a] > shared[b] end
      return a < b
    end)
    local best, best_nearness, best_share = nil, 0, 0
    local site = site_of(id)
    for _, number in ipairs(order) do
      local most = shared[number] / total
      if most < best_nearness or most < story_share then break end
      local record = get(number)
      if record and not passes_over(record) then
        local among, own, lessened, any = set_of(record.fingerprints), 0, 0, false
        for i, fingerprint in ipairs(fingerprints) do
          if among[fingerprint] then
            own = own + weights[i]
            lessened = lessened + (1 - weights[i])
            any = true
          end
        end
        local share = any and own / math.max(total, #record.fingerprints - lessened) or 0
        local nearness = share
        if site ~= '' and site == site_of(record.id) then nearness = share * same_site_factor end
        if nearness > best_nearness or (best and nearness == best_nearness and number < best.number) then
          best, best_nearness, best_share = record, nearness, share
        end
      end
    end
    if not best or best_nearness < story_share then return nil, 0, 0 end
    return best, best_nearness, best_share
  end

  local function first_of_story(twin, share)
    if not twin or share < story_share then return 0 end
    return twin.story > 0 and twin.story or twin.number
  end

  local known = find(id, address)
  if known and known.claim and passes_over(known) and known.claim.kind == 'new' then
    remove(known, address)
    known = nil
  end
  if not known then
    local twin, nearness, share = nearest()
    local story = first_of_story(twin, nearness)
    if twin and nearness >= replica_share then
      return verdict('replica', twin.id, share, story_id(twin, story), awaits(twin))
    end
    write({ number = last + 1, id = id, fingerprints = fingerprints, story = story, claim = taken('new') },
          address, most_postings)
    return verdict('new', nil, share, story_id(twin, story))
  end
  local shared = count_shared(fingerprints, set_of(known.fingerprints))
  if shared == #fingerprints and shared == #known.fingerprints then
    if not known.claim then return verdict('same', id, 1, story_id(nil, known.story)) end
    if awaits(known) and not passes_over(known) then
      return verdict('same', id, 1, story_id(nil, known.story), true)
    end
    write_claim(known.number, taken(known.claim.kind))
    return verdict(known.claim.kind, nil, 0, story_id(nil, known.story))
  end
  local share = 0
  if #known.fingerprints > 0 then share = shared / math.max(#fingerprints, #known.fingerprints) end
  remove(known, address)
  local twin, nearness = nearest()
  local story = first_of_story(twin, nearness)
  write({ number = known.number, id = id, fingerprints = fingerprints, story = story, claim = taken('changed') },
        address, most_postings)
  return verdict('changed', nil, share, story_id(twin, story))
end

local function settle(kept)
  local record = find(ARGV[3], ARGV[4])
  if not record or not record.claim or record.claim.owner ~= ARGV[5] then return 0 end
  if kept then write_claim(record.number, nil) else remove(record, ARGV[4]) end
  return 1
end

-- ARGV: page id, address hint, most postings, fingerprints
local function add()
  local id, address = ARGV[3], ARGV[4]
  if find(id, address) then return 0 end
  local fingerprints = {}
  for i = 6, #ARGV do fingerprints[#fingerprints + 1] = ARGV[i] end
  write({ number = last + 1, id = id, fingerprints = fingerprints, story = 0 }, address, tonumber(ARGV[5]))
  return 1
end

local function forget()
  local record = find(ARGV[3], ARGV[4])
  if not record then return 0 end
  remove(record, ARGV[4])
  return 1
end

local reply
if op == 'claim' then reply = claim_page()
elseif op == 'confirm' then reply = settle(true)
elseif op == 'release' then reply = settle(false)
elseif op == 'add' then reply = add()
elseif op == 'forget' then reply = forget()
else return redis.error_reply('WEBPREPOP unknown operation') end
save()
return reply
