/**
 * Hosts made with both major versions of the SDK, over standard input and output and over HTTP, before servers of both revisions made
 * with the plain SDK: every kind of question, where the host can be asked and where it cannot.
 */
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Inbox } from '@midcall/host';
import { type Era, eras } from '@midcall/testing';
import type { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { connectHost, hosts, httpStage } from './http-stage.ts';
import { reply, textOf } from './stage.ts';
import { stdioStage } from './stdio-stage.ts';

const says = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const page = 'https://example.org/page';
const requests = {
  form: {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: 'Which colour?',
      requestedSchema: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] },
    },
  },
  page: { method: 'elicitation/create', params: { mode: 'url', message: 'Sign in there', url: page } },
  sampling: {
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }], maxTokens: 100 },
  },
  roots: { method: 'roots/list', params: {} },
} as const;
const kinds = Object.keys(requests) as (keyof typeof requests)[];

/** A server on the plain SDK: one tool for each kind of question, which says what came back. */
const asking =
  (upstream: Era) =>
  (_: unknown, server: McpServer): void => {
    for (const kind of kinds) {
      const { method, params } = requests[kind];
      server.registerTool(kind, {}, async ctx => {
        try {
          if (upstream === '2025-11-25') {
            const elicitationId = kind === 'page' ? { elicitationId: 'e-1' } : {};
            return says(JSON.stringify(await ctx.mcpReq.send({ method, params: { ...params, ...elicitationId } })));
          }
          const { asked } = ctx.mcpReq.inputResponses ?? {};
          if (asked) return says(JSON.stringify(asked));
        } catch (error) {
          return says(`error ${(error as Error).message}`);
        }
        return {
          resultType: 'input_required',
          inputRequests: { asked: { method, params } },
          requestState: 's',
        } as never;
      });
    }
  };

/** Answers what is open, as a person at the desk does. */
async function answerAll(inbox: Inbox): Promise<void> {
  for (const { id, kind } of inbox.list())
    await inbox.reply(id, { action: 'accept', ...(kind === 'form' && { content: { colour: 'green' } }) }, 'test');
}

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridge-http-')));
const root = { uri: pathToFileURL(folder).href, name: 'work' };

const fronts = {
  'standard input and output': stdioStage,
  HTTP: async (options: Parameters<typeof httpStage>[0]) => {
    const on = await httpStage(options);
    return Object.assign(on, { at: on.url });
  },
};
const cells = hosts.flatMap(kind => Object.entries(fronts).map(([front, start]) => [kind, front, start] as const));

describe.each(cells)('a host of %s over %s', (kind, _front, start) => {
  describe.each(eras)('before a server of %s', upstream => {
    const at = (atDesk?: (inbox: Inbox) => unknown) =>
      start({ upstream, serve: asking(upstream), ...(atDesk && { atDesk }) });

    it.each([
      ['form', { elicitation: { form: {} } }, { action: 'accept', content: { colour: 'red' } }, 'red'],
      ['page', { elicitation: { form: {}, url: {} } }, { action: 'accept' }, '"action":"accept"'],
      ['sampling', { sampling: {} }, reply('from the host'), 'from the host'],
      ['roots', { roots: {} }, undefined, root.uri],
    ] as const)('is asked for what it declares: %s', async (name, capabilities, answer, said) => {
      await using on = await at();
      const answers = answer ? [answer] : [];
      const host = await connectHost(kind, on.at, { capabilities, answers, roots: () => [root] });
      expect(await host.listTools()).toEqual(kinds);
      expect(textOf(await host.call(name))).toContain(said);
      expect(host.asked).toHaveLength(1);
      await host.close();
    });

    it.each([
      ['form', 'green'],
      ['page', '"action":"accept"'],
      ['sampling', 'from the desk'],
    ] as const)('leaves to the desk what it cannot ask: %s', async (name, said) => {
      await using on = await at(answerAll);
      const host = await connectHost(kind, on.at);
      expect(textOf(await host.call(name))).toContain(said);
      await host.close();
    });

    it('gives a server no roots where it has none, and no yes where nobody can be asked', async () => {
      await using on = await at();
      const host = await connectHost(kind, on.at);
      expect(textOf(await host.call('form'))).toBe('{"action":"cancel"}');
      const refused = await host.call('roots').then(textOf, (error: Error) => error.message);
      expect(refused).toMatch(/roots|not support|Method not found/u);
      expect(refused).not.toContain(root.uri);
      await host.close();
    });
  });
});
