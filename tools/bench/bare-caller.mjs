/**
 * A client of one tool over HTTP that costs little beside a server: requests are written to sockets as text, and of a response only
 * what the call needs is read. The SDK's client takes twice the processor time of the servers that tools/bench/asks.mjs compares, so
 * the rate of their calls would be its own. Each caller that waits has a socket of its own; questions are accepted at once.
 */
import { once } from 'node:events';
import { connect } from 'node:net';

const accepted = { action: 'accept', content: { confirm: true } };
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};
const tool = { name: 'delete', arguments: { title: 'TPS report' } };

/** One connection at a time, on which a request is sent when the response before it is over. */
class Line {
  #socket;
  #url;
  #kept = Buffer.alloc(0);
  /** Bytes until the end of a body or of a chunk; undefined while a head is read. */
  #left;
  #chunked = false;
  #text = '';
  #status = '';
  #done = () => {};
  #onEvent = () => {};

  constructor(url) {
    this.#url = url;
  }

  /** A server ends a connection on which nothing was sent for a while. */
  async #connect() {
    this.#socket = connect({ host: this.#url.hostname, port: this.#url.port, noDelay: true });
    this.#socket.on('data', data => this.#read(data));
    await once(this.#socket, 'connect');
  }

  /**
   * @param onEvent - called with each message of a response that is a stream of events
   * @returns the head of the response, and its body unless that was a stream of events
   */
  async send(method, headers, body, onEvent = () => {}) {
    if (this.#socket?.closed !== false) await this.#connect();
    this.#onEvent = onEvent;
    const all = { host: this.#url.host, accept: 'application/json, text/event-stream', ...headers };
    if (body !== undefined)
      Object.assign(all, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#socket.write(`${method} ${this.#url.pathname} HTTP/1.1\r\n${head.join('')}\r\n${body ?? ''}`);
    return new Promise(resolve => {
      this.#done = resolve;
    });
  }

  #read(data) {
    this.#kept = this.#kept.length > 0 ? Buffer.concat([this.#kept, data]) : data;
    while (this.#step());
  }

  /** @returns false if more has to come first */
  #step() {
    if (this.#left === undefined) return this.#head();
    if (this.#chunked && this.#left === 0) return this.#chunk();
    if (this.#kept.length < this.#left) return false;
    this.#body(this.#kept.toString('utf8', 0, this.#left));
    this.#kept = this.#kept.subarray(this.#left + (this.#chunked ? 2 : 0));
    this.#left = 0;
    if (!this.#chunked) this.#end();
    return this.#kept.length > 0;
  }

  #head() {
    const end = this.#kept.indexOf('\r\n\r\n');
    if (end < 0) return false;
    this.#status = this.#kept.toString('latin1', 0, end).toLowerCase();
    this.#kept = this.#kept.subarray(end + 4);
    this.#chunked = this.#status.includes('transfer-encoding: chunked');
    this.#left = this.#chunked ? 0 : Number(/content-length: (\d+)/.exec(this.#status)?.[1] ?? 0);
    if (!this.#chunked && this.#left === 0) this.#end();
    return this.#kept.length > 0;
  }

  #chunk() {
    const end = this.#kept.indexOf('\r\n');
    if (end < 0) return false;
    const length = Number.parseInt(this.#kept.toString('latin1', 0, end), 16);
    if (length === 0) {
      if (this.#kept.length < end + 4) return false;
      this.#kept = this.#kept.subarray(end + 4);
      this.#end();
      return this.#kept.length > 0;
    }
    if (this.#kept.length < end + 2 + length + 2) return false;
    this.#kept = this.#kept.subarray(end + 2);
    this.#left = length;
    return true;
  }

  #body(text) {
    this.#text += text;
    if (!this.#status.includes('text/event-stream')) return;
    const events = this.#text.split('\n\n');
    this.#text = events.pop();
    for (const event of events) {
      const data = event.split('\n').find(line => line.startsWith('data: '));
      if (data && data.length > 6) this.#onEvent(JSON.parse(data.slice(6)));
    }
  }

  #end() {
    const [head, text] = [this.#status, this.#text];
    this.#left = undefined;
    this.#text = '';
    this.#done({ head, text });
  }
}

const check = text => {
  if (text !== 'Deleted.') throw new Error(`wrong result: ${text}`);
};

/** Rounds: the question is the response, and the answer the next request. */
function inRounds(url) {
  let id = 0;
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'delete' };
  return () => {
    const line = new Line(url);
    const request = async more => {
      id += 1;
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { ...tool, ...more, _meta: meta },
      });
      const { text } = await line.send('POST', headers, body);
      return JSON.parse(text).result;
    };
    const call = async () => {
      const { inputRequests, requestState } = await request({});
      const inputResponses = Object.fromEntries(Object.keys(inputRequests).map(key => [key, accepted]));
      const { content } = await request({ inputResponses, ...(requestState !== undefined && { requestState }) });
      check(content[0].text);
    };
    return call;
  };
}

/** Requests of the server in a session, on the stream of the call or on that of the session. */
async function bySession(url) {
  let id = 1;
  const first = new Line(url);
  const initialize = {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'bench', version: '1.0.0' },
  };
  const opening = JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params: initialize });
  const { head } = await first.send('POST', {}, opening);
  const headers = {
    'mcp-session-id': /mcp-session-id: (\S+)/.exec(head)[1],
    'mcp-protocol-version': '2025-11-25',
  };
  await first.send('POST', headers, JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  const spare = [];
  const answer = async ({ id: asked }) => {
    const line = spare.pop() ?? new Line(url);
    await line.send('POST', headers, JSON.stringify({ jsonrpc: '2.0', id: asked, result: accepted }));
    spare.push(line);
  };
  void first.send('GET', headers, undefined, message => message.method && void answer(message));
  return () => {
    const line = new Line(url);
    const call = async () => {
      id += 1;
      let result;
      const heard = message => {
        if (message.method) void answer(message);
        else result = message.result;
      };
      const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: tool });
      const { text } = await line.send('POST', headers, body, heard);
      result ??= JSON.parse(text).result;
      check(result.content[0].text);
    };
    return call;
  };
}

/**
 * Connects to a server.
 * @returns makes a caller, which makes one call at a time
 */
export const bareCaller = (url, era) => (era === '2026-07-28' ? inRounds(url) : bySession(url));
