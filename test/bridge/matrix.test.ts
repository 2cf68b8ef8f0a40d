/**
 * Hosts made with both major versions of the SDK, over standard input and output and over HTTP, before servers of both revisions made
 * with the plain SDK, at an address and as a process: every kind of question, where the host can be asked and where it cannot; and
 * before a server that wants a sign-in.
 */
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { commandTarget, type Inbox, memoryVault, type SignInQuestion, urlTarget } from '@midcall/host';
import { type Era, eras } from '@midcall/testing';
import type { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { guarded, signsIn } from '../authorization/stage.ts';
import { few } from '../fixtures/soak.ts';
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

const server = fileURLToPath(new URL('matrix-server.mjs', import.meta.url));
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
    ] as const)('a host is asked for what it declares: %s', async (name, capabilities, answer, said) => {
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
    ] as const)('a host leaves to the desk what it cannot ask: %s', async (name, said) => {
      await using on = await at(answerAll);
      const host = await connectHost(kind, on.at);
      expect(textOf(await host.call(name))).toContain(said);
      await host.close();
    });

    it('a host gives a server no roots where it has none, and no yes where nobody can be asked', async () => {
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

/** Answers what is open, and signs in where a server wants that. */
async function answerOrSignIn(inbox: Inbox): Promise<void> {
  const question = inbox.list().find((each): each is SignInQuestion => each.kind === 'sign-in');
  if (question) await signsIn(question, inbox);
  else await answerAll(inbox);
}

const everything = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const answers = [{ action: 'accept', content: { colour: 'red' } }, { action: 'accept' }, reply('from the host')];
const fromHost = ['red', '"action":"accept"', 'from the host', root.uri];
const fromDesk = ['green', '"action":"accept"', 'from the desk'];

describe.each(few(cells, ...cells.filter((_, n) => n % 3 === 0)))('a host of %s over %s', (kind, _front, start) => {
  it.each(eras)('a host is asked by a server of %s that is a process, or its person at the desk is', async upstream => {
    const target = commandTarget([process.execPath, server, upstream]);
    await using on = await start({ upstream, target, atDesk: answerAll });
    const able = await connectHost(kind, on.at, { capabilities: everything, answers, roots: () => [root] });
    for (const [n, said] of fromHost.entries()) expect(textOf(await able.call(kinds[n]!))).toContain(said);
    await able.close();
    await using again = await start({ upstream, target, atDesk: answerAll });
    const unable = await connectHost(kind, again.at);
    for (const [n, said] of fromDesk.entries()) expect(textOf(await unable.call(kinds[n]!))).toContain(said);
    await unable.close();
  });

  it('a host calls a server that wants a sign-in, of either revision, once its person has signed in at the desk', async () => {
    const { url } = await guarded();
    const options = { authorization: { vault: memoryVault() } };
    for (const upstream of eras) {
      await using on = await start({ upstream, target: urlTarget(url.href), atDesk: answerOrSignIn, options });
      const host = await connectHost(kind, on.at);
      expect(textOf(await host.call('whoami'))).toBe('alice');
      await host.close();
    }
  });
});
