/**
 * The scripts that change a session and its calls in Redis; each is atomic. A call's claim is the pair of who holds it (`h`)
 * and how often it was taken (`e`): writes under an older claim change nothing.
 *
 * Fields of a call: `h`, `e`; `b` the request, and who makes it; `d` it is over; `x` its client took it back;
 * `r` what it came to; `l` who holds the client's connection; `c` events under this claim; `q:`, `a:`, `t:`, `j:` with the name
 * of a question: when it was put, its answer, when that came, and what the journal has of it.
 */
import { script } from './commands.ts';

const CLOCK = `local now = redis.call('TIME')
now = now[1] * 1000 + math.floor(now[2] / 1000)
`;

/** Changes nothing: whoever lost a call is told so. */
const FENCE = `local held = redis.call('HMGET', KEYS[1], 'h', 'e', 'd')
if not held[2] then return {'gone'} end
if held[1] ~= ARGV[1] or held[2] ~= ARGV[2] or held[3] then return {'lost'} end
`;

/** KEYS: session, log. ARGV: record, ttl. */
export const openSession = script(
  2,
  `if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'r', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`,
);

/** KEYS: session, log, calls. ARGV: ttl, entries of the log that are known. */
export const useSession = script(
  3,
  `local record = redis.call('HGET', KEYS[1], 'r')
if not record then return {} end
for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], ARGV[1]) end
return {record, redis.call('LRANGE', KEYS[2], ARGV[2], -1)}`,
);

/** KEYS: session, log. ARGV: entry, ttl, most. */
export const logMessage = script(
  2,
  `if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('LLEN', KEYS[2]) >= tonumber(ARGV[3]) then return 0 end
redis.call('RPUSH', KEYS[2], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return 1`,
);

/** KEYS: session, calls, call, events. ARGV: replica, name, body, ttl, most calls, prime. */
export const beginCall = script(
  4,
  `if redis.call('EXISTS', KEYS[1]) == 0 then return {'gone'} end
local known = redis.call('HMGET', KEYS[3], 'h', 'e', 'd', 'b')
if known[2] and not known[3] then return {'exists', known[1], known[2], known[4] or ''} end
if redis.call('SCARD', KEYS[2]) >= tonumber(ARGV[5]) then return {'full'} end
redis.call('DEL', KEYS[3], KEYS[4])
redis.call('HSET', KEYS[3], 'h', ARGV[1], 'e', '1', 'b', ARGV[3])
redis.call('PEXPIRE', KEYS[3], ARGV[4])
redis.call('SADD', KEYS[2], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
if ARGV[6] == '1' then
  redis.call('XADD', KEYS[4], '*', 'p', '1')
  redis.call('PEXPIRE', KEYS[4], ARGV[4])
end
return {'begun'}`,
);

/**
 * KEYS: call, events, calls. ARGV: replica, claim, name, listener. For a call whose start was abandoned but may still be
 * executed: it is released if a client listens to it elsewhere, and otherwise treated as never begun.
 */
export const undoBegin = script(
  3,
  `${FENCE}
local listener = redis.call('HGET', KEYS[1], 'l') or ''
if listener ~= '' and listener ~= ARGV[4] then
  redis.call('HSET', KEYS[1], 'h', '')
  return {'released', listener}
end
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('SREM', KEYS[3], ARGV[3])
return {'undone'}`,
);

/** KEYS: call, session. ARGV: replica, holder, claim. Claims a call that nobody runs any more. */
export const takeCall = script(
  2,
  `local call = redis.call('HMGET', KEYS[1], 'h', 'e', 'd')
if redis.call('EXISTS', KEYS[2]) == 0 or not call[2] then return {'gone'} end
if call[3] then return {'over'} end
if call[1] ~= ARGV[2] or call[2] ~= ARGV[3] then return {'other'} end
redis.call('HSET', KEYS[1], 'h', ARGV[1], 'c', '0')
redis.call('HINCRBY', KEYS[1], 'e', 1)
return {'taken', redis.call('HGETALL', KEYS[1])}`,
);

/** KEYS: call, events, calls. ARGV: replica, claim, number, event, final, ttl once over, most events, name. */
export const appendEvent = script(
  3,
  `${FENCE}
if tonumber(ARGV[3]) <= tonumber(redis.call('HGET', KEYS[1], 'c') or '0') then return {'known'} end
redis.call('HSET', KEYS[1], 'c', ARGV[3])
redis.call('XADD', KEYS[2], 'MAXLEN', ARGV[7], '*', ARGV[5] == '1' and 'f' or 'm', ARGV[4])
if ARGV[5] == '1' then
  local listener = redis.call('HGET', KEYS[1], 'l') or ''
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'h', ARGV[1], 'e', ARGV[2], 'd', '1', 'l', listener)
  redis.call('PEXPIRE', KEYS[1], ARGV[6])
  redis.call('SREM', KEYS[3], ARGV[8])
end
local life = redis.call('PTTL', KEYS[1])
if life > 0 then redis.call('PEXPIRE', KEYS[2], life) end
return {'added', redis.call('HGET', KEYS[1], 'l') or ''}`,
);

/** KEYS: session, events. ARGV: event, ttl, most events. For messages that belong to no call. */
export const appendStandalone = script(
  2,
  `if redis.call('EXISTS', KEYS[1]) == 0 then return {'gone'} end
redis.call('XADD', KEYS[2], 'MAXLEN', ARGV[3], '*', 'm', ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return {'added', redis.call('HGET', KEYS[1], 'l') or ''}`,
);

/** KEYS: call, events. ARGV: replica, claim, question, event, ttl, most events. */
export const putQuestion = script(
  2,
  `${FENCE}${CLOCK}
local put = redis.call('HGET', KEYS[1], 'q:' .. ARGV[3])
if not put then
  put = now
  redis.call('HSET', KEYS[1], 'q:' .. ARGV[3], now)
  redis.call('XADD', KEYS[2], 'MAXLEN', ARGV[6], '*', 'm', ARGV[4])
  for i = 1, 2 do
    if redis.call('PTTL', KEYS[i]) < tonumber(ARGV[5]) then redis.call('PEXPIRE', KEYS[i], ARGV[5]) end
  end
end
local answer = redis.call('HMGET', KEYS[1], 'a:' .. ARGV[3], 't:' .. ARGV[3], 'l')
return {'put', now - tonumber(put), answer[1] or '', (tonumber(answer[2]) or now) - tonumber(put), answer[3] or ''}`,
);

/** KEYS: call. ARGV: question, answer. */
export const answerQuestion = script(
  1,
  `${CLOCK}
if redis.call('HEXISTS', KEYS[1], 'q:' .. ARGV[1]) == 0 then return {'unknown'} end
if redis.call('HSETNX', KEYS[1], 'a:' .. ARGV[1], ARGV[2]) == 1 then redis.call('HSET', KEYS[1], 't:' .. ARGV[1], now) end
return {'answered', redis.call('HGET', KEYS[1], 'h') or ''}`,
);

/** KEYS: call. ARGV: replica, claim, question, journal entry. Only the first entry for a question counts. */
export const recordAnswer = script(
  1,
  `${FENCE}
redis.call('HSETNX', KEYS[1], 'j:' .. ARGV[3], ARGV[4])
redis.call('HDEL', KEYS[1], 'a:' .. ARGV[3], 't:' .. ARGV[3])
return {'recorded'}`,
);

/** KEYS: call. ARGV: replica, claim, field, value. */
export const noteOnCall = script(
  1,
  `${FENCE}
redis.call('HSET', KEYS[1], ARGV[3], ARGV[4])
return {'noted'}`,
);

/** KEYS: call. ARGV: replica, claim. Releases a call for the next claimant. */
export const releaseCall = script(
  1,
  `${FENCE}
redis.call('HSET', KEYS[1], 'h', '')
return {'released', redis.call('HGET', KEYS[1], 'l') or ''}`,
);

/** KEYS: call. Notes that the client cancelled it. */
export const cancelCall = script(
  1,
  `local call = redis.call('HMGET', KEYS[1], 'h', 'e', 'd')
if not call[2] or call[3] then return {'over'} end
redis.call('HSET', KEYS[1], 'x', '1')
return {'noted', call[1], call[2]}`,
);

/** KEYS: hash with the listener, events. ARGV: listener, cursor, attach. */
export const readEvents = script(
  2,
  `if redis.call('EXISTS', KEYS[1]) == 0 then return {'gone'} end
local before = redis.call('HGET', KEYS[1], 'l') or ''
if ARGV[3] == '1' then redis.call('HSET', KEYS[1], 'l', ARGV[1])
elseif before ~= ARGV[1] then return {'moved'} end
if ARGV[2] ~= '' and ARGV[3] == '1' and #redis.call('XRANGE', KEYS[2], ARGV[2], ARGV[2]) == 0 then return {'forgotten'} end
local call = redis.call('HMGET', KEYS[1], 'h', 'e', 'd')
local from, entries, bytes, few = ARGV[2] == '' and '-' or '(' .. ARGV[2], {}, 0, 0
repeat
  local found = redis.call('XRANGE', KEYS[2], from, '+', 'COUNT', 10)
  few = #found
  for _, entry in ipairs(found) do
    entries[#entries + 1] = entry
    bytes = bytes + #(entry[2][2] or '')
    from = '(' .. entry[1]
  end
until few < 10 or bytes >= 1048576 or #entries >= 100
return {'read', entries, call[1] or '', call[2] or '', call[3] or '', before, few < 10 and '' or '1'}`,
);

/** KEYS: sessions of an owner. ARGV: session, idle ms, most. */
export const takeRoom = script(
  1,
  `${CLOCK}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - tonumber(ARGV[2]))
if redis.call('ZSCORE', KEYS[1], ARGV[1]) or redis.call('ZCARD', KEYS[1]) < tonumber(ARGV[3]) then
  redis.call('ZADD', KEYS[1], now, ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return {}
end
return redis.call('ZRANGE', KEYS[1], 0, 9)`,
);

/** KEYS: sessions of an owner. ARGV: sessions. Marks them as in use. */
export const inUse = script(
  1,
  `${CLOCK}
for i = 1, #ARGV do redis.call('ZADD', KEYS[1], 'XX', now, ARGV[i]) end
return {}`,
);

/** KEYS: replicas. ARGV: replica, grace ms. @returns those without a sign of life for longer */
export const showReplica = script(
  1,
  `${CLOCK}
redis.call('ZADD', KEYS[1], now, ARGV[1])
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - tonumber(ARGV[2]), 'LIMIT', 0, 10)`,
);

/**
 * KEYS: the owned name. ARGV: the replica that loses it, the one that takes it, ttl. Executing it twice changes nothing more.
 */
export const takeOwned = script(
  1,
  `if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`,
);
