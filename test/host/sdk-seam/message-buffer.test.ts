/** What a server writes to its standard output, as messages. */
import { ReadBuffer } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { MessageBuffer } from '../../../packages/host/src/sdk-seam/message-buffer.ts';

type Buffering = Pick<ReadBuffer, 'append' | 'readMessage' | 'clear'>;

/** Every message that comes of these chunks, and the errors between them. */
function read(buffer: Buffering, chunks: readonly Buffer[]): unknown[] {
  const messages: unknown[] = [];
  for (const chunk of chunks) {
    buffer.append(chunk);
    for (;;) {
      try {
        const message = buffer.readMessage();
        if (message === null) break;
        messages.push(message);
      } catch {
        messages.push('an error');
      }
    }
  }
  return messages;
}

const text = [
  '{"jsonrpc":"2.0","id":1,"result":{"of":"Zoë","_meta":{"own":1}}}',
  'Listening on port 80',
  '',
  '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"a\\nb"}}\r',
  '{"level":"info"}',
  '[]',
  '{"jsonrpc":"2.0","id":"two","error":{"code":-32601,"message":"no"}}',
  '{"jsonrpc":"2.0","id":3,"method":"ping"}',
  '{"jsonrpc":"2.0","id":4,"resu',
].join('\n');

describe('what a process has written', () => {
  it('lines of a process that are no messages are told apart, and blank ones are told to nobody', () => {
    const stray: string[] = [];
    read(new MessageBuffer(10_000, line => stray.push(line)), [Buffer.from(`${text}\n`)]);
    expect(stray).toEqual(['Listening on port 80', '{"level":"info"}', '[]', '{"jsonrpc":"2.0","id":4,"resu']);
  });

  it('what a process has written has the id read of an answer that is not JSON, wherever it stands, and of no other line', () => {
    const stray: string[] = [];
    const lines = [
      '{"jsonrpc":"2.0","id":1,"result":{"x":NaN}}',
      ' { "id" : "a" , "jsonrpc" : "2.0" , "error" : {"code":1,"message":"a\tb"}}',
      '{"result":{"x":Infinity},"id":3,"jsonrpc":"2.0"}',
      '{"jsonrpc": "2.0", "result": {"x": NaN}, "id": -4}',
      '{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":NaN}}',
      '{"level":"info","id":6,"result":NaN}',
      'answered {"jsonrpc":"2.0","id":7,"result":{}}',
      '{"jsonrpc":"2.0","result":{"x":NaN,"id":8}}',
      '{"jsonrpc":"2.0","id":09,"result":{}}',
    ];
    const buffer = new MessageBuffer(10_000, line => stray.push(line));
    const ids = read(buffer, [Buffer.from(`${lines.join('\n')}\n`)]);
    expect(ids).toEqual([1, 'a', 3, -4].map(id => ({ jsonrpc: '2.0', id })));
    expect(stray).toEqual(lines);
  });

  it.each([1, 2, 7, 64, 10_000])(
    'the messages that a process has written are those that the SDK reads, in chunks of %i bytes',
    size => {
      const bytes = Buffer.from(text);
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        bytes.subarray(n * size, (n + 1) * size),
      );
      const messages = read(new MessageBuffer(10_000), chunks);
      expect(messages).toEqual(read(new ReadBuffer({ maxBufferSize: 10_000 }), chunks));
      expect(messages.filter(each => each !== 'an error')).toHaveLength(4);
    },
  );

  it('a message of a process that is too large is refused in the words of the SDK, and the next is read', () => {
    const [buffer, sdk] = [new MessageBuffer(100), new ReadBuffer({ maxBufferSize: 100 })];
    const errors = [buffer, sdk].map(each => {
      read(each, [Buffer.from('x'.repeat(60))]);
      try {
        each.append(Buffer.from('x'.repeat(60)));
      } catch (error) {
        return error as Error;
      }
      return undefined;
    });
    expect(errors[0]?.message).toBe(errors[1]?.message);
    expect(errors[0]?.message).toContain('100 bytes');
    expect(read(buffer, [Buffer.from('{"jsonrpc":"2.0","id":1,"result":{}}\n')])).toHaveLength(1);
  });

  it('the messages of a batch are read one by one, and whatever is no message is told apart', () => {
    const stray: string[] = [];
    const [one, two] = ['{"jsonrpc":"2.0","id":1,"result":{}}', '{"jsonrpc":"2.0","method":"notifications/x"}'];
    const lines = `[${one},7,[${one}],${two}]\n[]\n${one}\n`;
    const messages = read(new MessageBuffer(1_000, line => stray.push(line)), [Buffer.from(lines)]);
    const of = (line: string): unknown => JSON.parse(line);
    expect(messages).toEqual([of(one), 'an error', 'an error', of(two), 'an error', of(one)]);
    expect(stray).toEqual(['7', `[${one}]`, '[]']);
  });

  it('a message whose members only its reader can judge passes, so that its request ends', () => {
    const stray: string[] = [];
    const buffer = () => new MessageBuffer(1_000, line => stray.push(line));
    const odd = '{"jsonrpc":"2.0","id":1,"error":{"code":"none"},"more":true}';
    expect(read(buffer(), [Buffer.from(`${odd}\n`)])).toEqual([JSON.parse(odd)]);
    expect(stray).toEqual([]);
    const worse = ['{"jsonrpc":"2.0","id":1,"result":"done"}', '{"id":"two","result":{}}', '{"id":3}'];
    expect(read(buffer(), [Buffer.from(`${worse.join('\n')}\n`)])).toEqual(worse.map(line => JSON.parse(line)));
    expect(stray).toEqual(worse);
    const noAnswers = ['{"jsonrpc":"2.0","result":{}}', '{"id":{},"result":{}}', '{"id":1,"method":"ping"}', 'null'];
    expect(read(buffer(), [Buffer.from(`${noAnswers.join('\n')}\n`)])).toEqual(noAnswers.map(() => 'an error'));
    const request = '{"jsonrpc":"2.0","id":2.5,"method":"ping"}';
    expect(read(buffer(), [Buffer.from(`${request}\n`)])).toEqual([JSON.parse(request)]);
  });

  it('messages are read without the byte order mark that some programs write first', () => {
    const line = '{"jsonrpc":"2.0","id":1,"result":{}}';
    expect(read(new MessageBuffer(1_000), [Buffer.from(`\uFEFF${line}\n`)])).toEqual([JSON.parse(line)]);
  });
});
