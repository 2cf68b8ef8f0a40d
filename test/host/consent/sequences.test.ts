/**
 * What a person is asked in whole pieces of work, under the rules that are proposed for the tools of a files, a repository and a
 * browser server. Before any rules were proposed, each call was marked by hand: `ask` if its person wants to see it, `allow` if not.
 * The person gives the grants that are listed, when first asked about such a call, and says yes once to everything else.
 */
import { readFileSync } from 'node:fs';
import { type CallQuestion, proposeRules, type Question, type Reply, Rules } from '@midcall/host';
import { expect, it } from 'vitest';
import { wired } from '../wire-server.ts';

interface Sequence {
  readonly server: string;
  readonly tools: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
  readonly grants: Readonly<Record<string, object>>;
  readonly calls: readonly {
    readonly tool: string;
    readonly arguments: Readonly<Record<string, unknown>>;
    readonly mark: 'allow' | 'ask';
  }[];
}

const mostQuestions = 4;

it.each(['files', 'repository', 'browser'])(
  `a piece of work with a %s server takes at most ${mostQuestions} questions, and nothing passes that its person wants to see`,
  async name => {
    const text = readFileSync(new URL(`./sequences/${name}.json`, import.meta.url), 'utf8');
    const { server, tools, grants, calls } = JSON.parse(text) as Sequence;
    const listed = Object.entries(tools).map(([tool, annotations]) => ({
      name: tool,
      inputSchema: { type: 'object' },
      annotations,
    }));
    let mark = '';
    const answer = (question: Question): Reply => {
      const grant = mark === 'allow' && grants[(question as CallQuestion).call.name];
      return grant ? { action: 'accept', content: { grant } } : { action: 'accept' };
    };
    const on = await wired('2026-07-28', {
      tool: async () => ({ content: [] }),
      tools: () => listed,
      answer,
      server: { id: server, origin: `node ${name}.js` },
      rules: new Rules({ rules: proposeRules(server, listed) }),
    });
    const wronglyPassed: object[] = [];
    for (const call of calls) {
      const before = on.shown.length;
      mark = call.mark;
      await on.attachment.run({ kind: 'tool', name: call.tool, arguments: call.arguments });
      if (call.mark === 'ask' && on.shown.length === before) wronglyPassed.push(call);
    }
    expect(wronglyPassed).toEqual([]);
    expect(on.calls()).toHaveLength(calls.length);
    expect(on.shown.length).toBeGreaterThan(0);
    expect(on.shown.length).toBeLessThanOrEqual(mostQuestions);
  },
);
