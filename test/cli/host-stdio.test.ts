/** What a host may write to a bridge's standard input, and what it is answered. */
import { PassThrough, Writable } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { HostStdio } from '../../packages/midcall/src/host-stdio/index.ts';

const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' }) as const;
const pong = (id: number) => ({ jsonrpc: '2.0', id, result: {} }) as const;

/** A host, everything it is written, and what was delivered of it. */
async function hostOf(revision?: string) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const host = new HostStdio(input, output);
  const heard: JSONRPCMessage[] = [];
  host.onmessage = message => heard.push(message);
  await host.start();
  if (revision !== undefined) host.setProtocolVersion(revision);
  const written = async (): Promise<unknown[]> => {
    await new Promise(setImmediate);
    return String(output.read() ?? '')
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line));
  };
  const write = (text: string | Buffer): Promise<unknown[]> => {
    input.write(text);
    return written();
  };
  return { host, heard, write, written, line: (value: unknown) => write(`${JSON.stringify(value)}\n`) };
}

const refusal = (words: string, code = -32600, id: unknown = null) => [
  { jsonrpc: '2.0', id, error: { code, message: expect.stringContaining(words) } },
];

describe('a line', () => {
  it('a line may come in pieces, in the middle of a character, and several at once', async () => {
    const { heard, write } = await hostOf();
    const bytes = Buffer.from(
      `${JSON.stringify({ ...ping(1), params: { of: 'Zoë' } })}\r\n${JSON.stringify(ping(2))}\n\n`,
    );
    const middle = bytes.indexOf(0xc3) + 1;
    expect(await write(bytes.subarray(0, middle))).toEqual([]);
    expect(await write(bytes.subarray(middle))).toEqual([]);
    expect(heard).toEqual([{ ...ping(1), params: { of: 'Zoë' } }, ping(2)]);
  });

  it.each([
    ['{"jsonrpc":', refusal('not JSON', -32700)],
    ['"hello"', refusal('not a JSON-RPC 2.0 message')],
    ['{"id":7,"method":"ping"}', refusal('not a JSON-RPC 2.0 message', -32600, 7)],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', refusal('not a JSON-RPC 2.0 message')],
    ['{"jsonrpc":"2.0","id":2.5,"method":"ping"}', refusal('not a JSON-RPC 2.0 message', -32600, 2.5)],
    ['{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}', []],
  ])('a line that is %s is answered in words, and the next is read', async (text, answered) => {
    const { heard, write, line } = await hostOf();
    expect(await write(`${text}\n`)).toEqual(answered);
    await line(ping(1));
    expect(heard).toEqual([ping(1)]);
  });

  it.each<[string, object, string]>([
    ['an id too large to be read', { id: 2 ** 53 }, 'too large to be read exactly'],
    ['a text in place of _meta', { params: { _meta: 'x' } }, 'params._meta must be an object'],
    ['an object as its progress token', { params: { _meta: { progressToken: {} } } }, 'must be a text or an integer'],
    [
      'a task that has no id',
      { params: { _meta: { 'io.modelcontextprotocol/related-task': 5 } } },
      'must name a taskId',
    ],
    [
      'deep parameters',
      { params: JSON.parse(`${'{"x":'.repeat(400)}1${'}'.repeat(400)}`) },
      'nests more than 256 levels',
    ],
  ])('a line that is a request with %s is refused, also within a batch', async (_, odd, words) => {
    const { heard, host, line, written } = await hostOf('2025-03-26');
    const request = { ...ping(1), ...odd };
    const refused = refusal(words, -32600, request.id);
    expect(await line(request)).toEqual(refused);
    expect(await line([request, ping(2)])).toEqual([]);
    expect(heard).toEqual([ping(2)]);
    await host.send(pong(2));
    expect(await written()).toEqual([[...refused, pong(2)]]);
  });

  it('a line with members that a message does not have is read without them', async () => {
    const { heard, line } = await hostOf();
    expect(await line({ ...ping(1), more: 1 })).toEqual([]);
    expect(await line({ jsonrpc: '2.0', method: 'notifications/x', more: 1 })).toEqual([]);
    expect(heard).toEqual([ping(1), { jsonrpc: '2.0', method: 'notifications/x' }]);
  });

  it('a line may begin with a byte order mark', async () => {
    const { heard, write } = await hostOf();
    expect(await write(`\uFEFF${JSON.stringify(ping(1))}\n`)).toEqual([]);
    expect(heard).toEqual([ping(1)]);
  });

  it('a line that names a client without a version is read with an empty one, in both revisions', async () => {
    const { heard, line } = await hostOf();
    const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize' };
    await line({ ...initialize, params: { clientInfo: { name: 'host' } } });
    const key = 'io.modelcontextprotocol/clientInfo';
    await line({ ...ping(2), params: { _meta: { [key]: { name: 'host', version: null } } } });
    const whole = { name: 'host', version: '' };
    expect(heard).toEqual([
      { ...initialize, params: { clientInfo: whole } },
      { ...ping(2), params: { _meta: { [key]: whole } } },
    ]);
  });

  it('a line with an id that is no text or integer is refused at once, under that id', async () => {
    const { heard, line } = await hostOf();
    expect(await line(ping(2.5))).toEqual(refusal('not a JSON-RPC 2.0 message', -32600, 2.5));
    expect(heard).toEqual([]);
  });

  it.each([null, [], 'yes'])(
    'a line that answers with the result %j ends what it answers, as an error',
    async result => {
      const { heard, line } = await hostOf();
      await line({ jsonrpc: '2.0', id: 7, result });
      const message = 'The host answered with something that is not a JSON-RPC 2.0 response.';
      expect(heard).toEqual([{ jsonrpc: '2.0', id: 7, error: { code: -32603, message } }]);
    },
  );

  it('a line that is longer than any is refused by itself, and not kept', async () => {
    const { heard, write, line } = await hostOf();
    const piece = 'x'.repeat(16 * 1024 * 1024);
    for (let n = 0; n < 5; n += 1) await write(piece);
    expect(await write('\n')).toEqual(refusal('67108864 characters'));
    await line(ping(1));
    expect(heard).toEqual([ping(1)]);
  });
});

describe('a batch', () => {
  it('a batch is answered as one on 2025-03-26, with those that were taken back left out', async () => {
    const { host, heard, line, written } = await hostOf('2025-03-26');
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } };
    expect(await line([ping(1), ping(2), ping(3), { jsonrpc: '2.0', method: 'notifications/example' }])).toEqual([]);
    expect(heard).toHaveLength(4);
    await host.send(pong(2));
    await host.send(pong(9));
    expect(await written()).toEqual([pong(9)]);
    await host.send(pong(1));
    expect(await written()).toEqual([]);
    expect(await line(cancelled)).toEqual([[pong(2), pong(1)]]);
  });

  it('a batch has an error for what is no message in it', async () => {
    const { line } = await hostOf('2025-03-26');
    expect(await line([{ id: 4 }])).toEqual(refusal('not a JSON-RPC 2.0 message', -32600, 4));
    expect(await line([])).toEqual(refusal('1 to 100 messages; got 0'));
  });

  it.each([
    [undefined, 'Before a revision'],
    ['2025-11-25', 'Revision 2025-11-25'],
  ])('a batch is refused on %s, which has none', async (revision, words) => {
    const { heard, line } = await hostOf(revision);
    expect(await line([ping(1)])).toEqual(refusal(`${words}`));
    expect(heard).toEqual([]);
  });
});

it('a bridge says once when its host reads too slowly, and once when it has read all', async () => {
  let take = (): void => {};
  const output = new Writable({
    highWaterMark: 100,
    write: (_, __, done) => {
      take = done;
    },
  });
  const host = new HostStdio(new PassThrough(), output);
  const said: string[] = [];
  host.onfull = () => void said.push('full');
  host.ondrain = () => void said.push('drained');
  await host.start();
  for (let id = 0; id < 10; id += 1) await host.send(pong(id));
  await new Promise(setImmediate);
  expect(said).toEqual(['full']);
  for (let n = 0; n < 10; n += 1) {
    take();
    await new Promise(setImmediate);
  }
  expect(said).toEqual(['full', 'drained']);
  await host.close();
  await expect(host.send(pong(1))).rejects.toThrow('The host has gone.');
});

it('stdio-H4: disconnects a host that leaves too much unread', async () => {
  const host = new HostStdio(new PassThrough(), new Writable({ write: () => {} }));
  const errors: string[] = [];
  let isClosed = false;
  host.onerror = error => void errors.push(error.message);
  host.onclose = () => {
    isClosed = true;
  };
  await host.start();
  const large = { jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(40 * 1024 * 1024) } } as const;
  for (let n = 0; n < 2; n += 1) await host.send(large);
  expect([errors, isClosed]).toEqual([[], false]);
  await host.send(pong(2));
  expect([errors, isClosed]).toEqual([['The host left more than 67108864 bytes unread. It was disconnected.'], true]);
  await expect(host.send(pong(3))).rejects.toThrow('The host has gone.');
});

describe('stdio-H3: a request whose id an earlier one has', () => {
  it('a request whose id an earlier one has is refused while that has no answer, and leaves it alone', async () => {
    const { host, heard, line, written } = await hostOf('2025-11-25');
    expect(await line(ping(7))).toEqual([]);
    expect(await line(ping(7))).toEqual(refusal('id 7 is used by a request that has not ended', -32600, 7));
    expect(await line({ ...ping(7), id: '7' })).toEqual([]);
    expect(heard).toEqual([ping(7), { ...ping(7), id: '7' }]);
    await host.send(pong(7));
    expect(await written()).toEqual([pong(7)]);
    expect(await line(ping(7))).toEqual([]);
    expect(heard).toHaveLength(3);
  });

  it('a request whose id an earlier one has is taken once that was taken back', async () => {
    const { heard, line } = await hostOf('2025-11-25');
    const takenBack = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    for (const message of [ping(7), takenBack, ping(7)]) expect(await line(message)).toEqual([]);
    expect(heard).toEqual([ping(7), takenBack, ping(7)]);
  });
});

it('writes what is said in one turn at once, in order', async () => {
  const writes: string[][] = [];
  const output = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      writes.push([String(chunk)]);
      done();
    },
    writev(chunks, done) {
      writes.push(chunks.map(({ chunk }) => String(chunk)));
      done();
    },
  });
  const host = new HostStdio(new PassThrough(), output);
  await host.start();
  await Promise.all([1, 2, 3].map(async id => host.send(pong(id))));
  await new Promise(setImmediate);
  await host.send(pong(4));
  await new Promise(setImmediate);
  expect(writes.map(each => each.map(line => JSON.parse(line).id))).toEqual([[1, 2, 3], [4]]);
});

describe('a message whose handler throws', () => {
  it('is reported, ends nothing, and the next one is delivered', async () => {
    const { host, heard, line } = await hostOf();
    const errors: string[] = [];
    host.onerror = error => errors.push(error.message);
    host.onmessage = () => {
      throw new Error('The handler is broken.');
    };
    await line(ping(1));
    host.onmessage = message => heard.push(message);
    await line(ping(2));
    expect(errors).toEqual(['The handler is broken.']);
    expect(heard).toEqual([ping(2)]);
  });
});
