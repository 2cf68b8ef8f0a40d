/** Roots in resource handlers (001-01 to 001-05 of SYSTEMS.md), in both eras, with every frame counted. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Call, midcall } from '@midcall/server';
import { connectPair, eras, scriptedPerson } from '@midcall/testing';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { grown } from '../fixtures/grown.ts';

const uri = (path: string): string => pathToFileURL(path).href;

function tree(): { base: string; inside: string; outside: string } {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'midcall-001-')));
  onTestFinished(() => rmSync(base, { recursive: true }));
  for (const name of ['in', 'out']) {
    mkdirSync(join(base, name));
    writeFileSync(join(base, name, 'page.html'), `<p>${name}</p>`);
  }
  return { base, inside: join(base, 'in'), outside: join(base, 'out') };
}

describe.each(eras)('%s', era => {
  /** Resources: `roots://` tells what the handler sees, `file://` serves what lies inside. */
  async function serve(options: { roots?: { uri: string; name?: string }[]; ceiling?: string[] }) {
    const mid = midcall({ warn: () => {}, roots: { ceiling: options.ceiling ?? [], askWhereDeprecated: true } });
    const shown = async (url: URL, call: Call) => ({
      contents: [{ uri: url.href, text: JSON.stringify((await call.roots()) ?? 'none') }],
    });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.resource(server, 'roots', 'roots://list', {}, shown);
      mid.resource(
        server,
        'page',
        new ResourceTemplate('file:///{+path}', { list: undefined }),
        {},
        async (url, call) => {
          const text = await (await call.files()).readText(url.href);
          return { contents: [{ uri: url.href, mimeType: 'text/html', text }] };
        },
      );
      return server;
    };
    const { roots } = options;
    const person = scriptedPerson([], { roots: () => roots ?? [] });
    const capabilities = roots ? { roots: { listChanged: era === '2025-11-25' } } : {};
    const pair = await connectPair(factory, { era, person, capabilities });
    onTestFinished(() => pair.close());
    const read = async (address: string) =>
      (await pair.client.readResource({ uri: address })).contents[0] as { text: string; mimeType?: string };
    const asked = () => person.asked.filter(each => each.method === 'roots/list').length;
    return { pair, read, asked, person };
  }

  it('001-01: each notice of a change is heard, and the list read again for it', async () => {
    const { base, inside, outside } = tree();
    const roots = [{ uri: uri(inside) }];
    const { pair, read, asked, person } = await serve({ roots, ceiling: [base] });
    expect(JSON.parse((await read('roots://list')).text)).toEqual([{ uri: uri(inside) }]);
    for (const next of [outside, inside]) {
      const before = asked();
      roots[0] = { uri: uri(next) };
      if (era === '2025-11-25') {
        await pair.client.sendRootsListChanged();
        await grown(person.asked, () => asked() === before + 1);
      }
      expect(JSON.parse((await read('roots://list')).text)).toEqual([{ uri: uri(next) }]);
      expect(asked()).toBe(before + 1);
    }
  });

  it('001-02, 001-03: a read of a resource costs one list at most, and the handler sees addresses and names', async () => {
    const { inside } = tree();
    const roots = [{ uri: uri(inside), name: 'Inside' }];
    const { read, asked } = await serve({ roots });
    for (let n = 1; n <= 3; n += 1) {
      expect(JSON.parse((await read('roots://list')).text)).toEqual(roots);
      expect(asked()).toBe(era === '2025-11-25' ? 1 : n);
    }
  });

  it('001-04: a resource inside the roots is given with its type, one outside is refused', async () => {
    const { base, inside, outside } = tree();
    const { read } = await serve({ roots: [{ uri: uri(inside) }], ceiling: [base] });
    expect(await read(uri(join(inside, 'page.html')))).toMatchObject({ text: '<p>in</p>', mimeType: 'text/html' });
    await expect(read(uri(join(outside, 'page.html')))).rejects.toThrow();
  });

  it('001-05: no roots to tell leaves the operator’s directories as they were; an empty list allows nothing', async () => {
    const { inside } = tree();
    const page = uri(join(inside, 'page.html'));
    const without = await serve({ ceiling: [inside] });
    expect(JSON.parse((await without.read('roots://list')).text)).toBe('none');
    expect((await without.read(page)).text).toBe('<p>in</p>');
    const empty = await serve({ roots: [], ceiling: [inside] });
    expect(JSON.parse((await empty.read('roots://list')).text)).toEqual([]);
    await expect(empty.read(page)).rejects.toThrow();
  });
});
