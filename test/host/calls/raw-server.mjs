/** A server of either revision that is nothing but its frames: what it does with a call, the name of its tool says. */
const lines = [];
const write = text => process.stdout.write(`${text}\n`);
const say = frame => write(JSON.stringify({ jsonrpc: '2.0', ...frame }));
const isNew = process.argv[2] === '2026-07-28';
let calls = 0;

const results = {
  plain: id => say({ id, result: { content: [], calls, resultType: 'complete' } }),
  failing: id => say({ id, result: { content: [], isError: true } }),
  refused: id => say({ id, error: { code: -32050, message: 'No.', data: { own: 1 } } }),
  // The same member twice: the last one counts, whoever reads it.
  twice: id => write(`{"jsonrpc":"2.0","id":"somebody","id":${JSON.stringify(id)},"result":{"content":[]}}`),
  collides: id => {
    say({ id: 'midcall-forwarded:999999', result: { content: ['not this'] } });
    say({ id: 0.5, result: { content: ['nor this'] } });
    say({ id: 3, result: { content: ['nor this'] } });
    results.plain(id);
    say({ id, result: { content: ['a second answer'] } });
  },
  more: id => say({ id, result: { content: [] }, extra: 1 }),
  'both-members': id => say({ id, result: { content: [] }, error: null }),
  'no-object': id => say({ id, result: [] }),
  proto: id => write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[],"__proto__":{"a":1}}}`),
  'unlike-any-result': id =>
    say({
      id,
      result: { content: 'no list', structuredContent: [1], _meta: { own: true }, resultType: 'complete' },
    }),
  'proto-beside': id => write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"__proto__":{"result":{}},"result":{}}`),
  deep: id =>
    write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"a":${'['.repeat(2_000)}${']'.repeat(2_000)}}}`),
  later: id => say({ id, result: { resultType: 'later' } }),
  batch: id => {
    write(JSON.stringify([{ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'in a batch' }] } }]));
  },
  huge: id => say({ id, result: { content: [{ type: 'text', text: 'é'.repeat(300_000) }] } }),
  split: id => {
    const bytes = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, result: { content: ['Zoë, 日本'] } })}\n`);
    const pieces = [...bytes].map(byte => Buffer.from([byte]));
    const next = () => pieces.length > 0 && process.stdout.write(pieces.shift(), () => setImmediate(next));
    next();
  },
  progress: id => {
    say({ method: 'notifications/progress', params: { progressToken: id, progress: 1, message: 'half' } });
    results.plain(id);
  },
  logs: id => {
    say({ method: 'notifications/message', params: { level: 'info', data: 'a log' } });
    results.plain(id);
  },
  'same-id': id => {
    say({ id, method: 'ping' });
    setImmediate(() => results.plain(id));
  },
  stray: id => {
    write('a log of its own');
    write('{"level":"info"}');
    results.plain(id);
  },
  asks: id => {
    const params = { mode: 'form', message: 'Go on?', requestedSchema: { type: 'object', properties: {} } };
    if (!isNew) say({ id: 'q', method: 'elicitation/create', params });
    else
      say({
        id,
        result: { resultType: 'input_required', inputRequests: { q: { method: 'elicitation/create', params } } },
      });
    asking = id;
  },
  exits: () => process.exit(0),
  never: id => say({ method: 'notifications/progress', params: { progressToken: id, progress: 1 } }),
};
let asking;

const answer = ({ id, method, params, result }) => {
  if (method === 'initialize')
    say({
      id,
      result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'p', version: '1' } },
    });
  else if (method === 'server/discover') {
    if (!isNew) return say({ id, error: { code: -32601, message: 'Method not found' } });
    const about = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' };
    const _meta = { 'io.modelcontextprotocol/serverInfo': { name: 'p', version: '1' } };
    say({ id, result: { resultType: 'complete', ...about, _meta } });
  } else if (method === 'tools/call') {
    lines.push(params);
    calls += 1;
    if (params.inputResponses)
      say({ id, result: { resultType: 'complete', content: [], answered: params.inputResponses.q } });
    else results[params.name](id, params);
  } else if (method === 'test/said') say({ id, result: { resultType: 'complete', lines: lines.splice(0) } });
  else if (method === undefined && asking !== undefined) say({ id: asking, result: { content: [], answered: result } });
};

let rest = '';
process.stdin.setEncoding('utf8').on('data', text => {
  const read = `${rest}${text}`.split('\n');
  rest = read.pop();
  for (const line of read) answer(JSON.parse(line));
});
process.stdin.on('end', () => process.exit(0));
