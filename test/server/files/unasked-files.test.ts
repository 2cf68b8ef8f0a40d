/** `mid.files()`: files where nobody can be asked, such as in a resource list. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { midcall } from '@midcall/server';
import { connectPair, pairings, scriptedPerson } from '@midcall/testing';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';

describe.each(pairings)('%s over %s', (era, carrier) => {
  async function roots(ceiling: string[], granted?: string[]): Promise<string[]> {
    const mid = midcall({ warn: () => {}, roots: { ceiling, askWhereDeprecated: true } });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      const template = new ResourceTemplate('x:///{+path}', {
        async list(ctx) {
          const files = await mid.files(server, ctx);
          const seen = files?.roots.map(root => root.path) ?? ['cannot be asked'];
          await files?.close();
          return { resources: seen.map(path => ({ uri: pathToFileURL(path).href, name: path })) };
        },
      });
      mid.resource(server, 'x', template, {}, uri => ({ contents: [{ uri: uri.href, text: '' }] }));
      return server;
    };
    const person = scriptedPerson([], {
      roots: () => (granted ?? []).map(path => ({ uri: pathToFileURL(path).href })),
    });
    const capabilities = granted ? { roots: {} } : {};
    await using pair = await connectPair(factory, { era, carrier, person, capabilities });
    return (await pair.client.listResources()).resources.map(resource => resource.name);
  }

  it('the files of a plain handler are the operator’s where the client has no roots, and the intersection otherwise', async () => {
    const top = realpathSync(mkdtempSync(join(tmpdir(), 'midcall-unasked-')));
    const inner = join(top, 'inner');
    mkdirSync(inner);
    expect(await roots([top])).toEqual([top]);
    expect(await roots([top], [inner])).toEqual(era === '2025-11-25' ? [inner] : ['cannot be asked']);
    await expect(roots([])).rejects.toThrow();
    rmSync(top, { recursive: true });
  });
});
