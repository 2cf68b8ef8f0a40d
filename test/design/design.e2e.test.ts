/** `midcall design` against the real notes server: the forms its tools really send, and code that compiles and runs. */
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { form } from '@midcall/core/form';
import { midcall } from '@midcall/server';
import { connectPair, eras, scriptedPerson } from '@midcall/testing';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { McpServer } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Proposal, proposalCode, propose, toolFacts } from '../../packages/midcall/src/design/index.ts';
import { compiler, root } from '../../tools/places.ts';
import { few } from '../fixtures/soak.ts';

const main = join(root, 'packages/midcall/bin/midcall.js');

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'design-')));
cpSync(join(root, 'packages/midcall/samples/notes'), directory, { recursive: true });
// Inside the repository, so that its packages and paths are found; hidden, so that nothing else looks at it.
const generated = mkdtempSync(join(root, 'test/design/.generated-'));
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
  rmSync(generated, { recursive: true, force: true });
});

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const design = (words: readonly string[], server = ['node', main, 'notes', directory]): Promise<Ran> =>
  new Promise(resolve => {
    execFile(process.execPath, [main, 'design', ...words, '--', ...server], { cwd: root }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
  });

/** The question a tool of the notes server really sends; dismissed. */
async function asked(name: string, title: string): Promise<{ message: string; requestedSchema: unknown }> {
  const person = scriptedPerson([{ action: 'cancel' }]);
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  person.attach(client, { elicitation: {} });
  await client.connect(
    new StdioClientTransport({ command: 'node', args: [main, 'notes', directory], stderr: 'ignore' }),
  );
  await client.callTool({ name, arguments: { title } });
  await client.close();
  return person.asked[0]!.params as never;
}

/** Without the choices, which are what was found. */
const shape = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema), (name, value) => (name === 'oneOf' ? 'choices' : value));
const filled = (message: string, places: Record<string, string>): string =>
  message.replaceAll(/\{(\w+)\}/g, (_, name: string) => places[name]!);

describe('the notes server’s own questions', () => {
  let proposals: Record<string, Proposal>;
  beforeAll(async () => {
    const names = ['notes_delete', 'notes_archive', 'notes_setup', 'notes_search'];
    const all = await Promise.all(
      names.map(async name => [name, JSON.parse((await design([name, '--json'])).out)] as const),
    );
    proposals = Object.fromEntries(all);
  });

  it('000-17: notes_delete has one question, where several notes match', async () => {
    const sent = await asked('notes_delete', 'TPS report');
    const { asks } = proposals['notes_delete']!;
    expect(asks.map(each => each.when)).toEqual(['several notes match']);
    expect(shape(asks[0]!.wire)).toEqual(shape(sent.requestedSchema));
    expect(filled(asks[0]!.message, { title: 'TPS report' })).toBe(sent.message);
  });

  it('000-17: notes_archive has one with one match and one with several', async () => {
    const [one, many] = proposals['notes_archive']!.asks;
    const several = await asked('notes_archive', 'TPS report');
    expect(shape(many!.wire)).toEqual(shape(several.requestedSchema));
    expect(filled(many!.message, { title: 'TPS report' })).toBe(several.message);
    const single = await asked('notes_archive', 'Lentil soup');
    expect(one!.wire).toEqual(single.requestedSchema);
    expect(single.message).toMatch(/^Archive .*Lentil soup.*\?$/);
    expect(filled(one!.message, { label: '…' })).toBe('Archive …?');
  });

  it('the other tools have a page for the first run, and nothing for reading', () => {
    const of = (name: string) => [proposals[name]!.kind, proposals[name]!.ask];
    expect(of('notes_setup')).toEqual(['first-run', true]);
    expect(of('notes_search')).toEqual(['read-only', false]);
  });

  it('midcall design tells it in a page of text, with where each reason comes from', async () => {
    const { out, code } = await design(['notes_delete']);
    expect(out).toContain('notes_delete: ask (pick)');
    expect(out).toContain("message  Delete '{title}'? Multiple notes match; pick one.");
    await expect(out).toMatchFileSnapshot('../../examples/readme/design.txt');
    expect(code).toBe(0);
  });

  it('midcall design ends with 2 for a tool that is not there, and 3 for a server that is not', async () => {
    expect(await design(['nope'])).toMatchObject({ code: 2, err: expect.stringContaining('It has: ') });
    expect((await design(['x'], ['node', '-e', 'process.exit(1)'])).code).toBe(3);
  });
});

const text = { type: 'string' } as const;
const tools = {
  pick: { name: 'note_delete', inputSchema: { type: 'object', properties: { title: text }, required: ['title'] } },
  confirm: {
    name: 'drop-database',
    inputSchema: { type: 'object', properties: { 'data base': text, dry: { type: 'boolean' } } },
  },
  grave: { name: 'pay_invoice', inputSchema: { type: 'object', properties: { id: text }, required: ['id'] } },
  page: {
    name: 'connect_shop',
    inputSchema: { type: 'object', properties: { api_key: text, n: { type: 'integer', minimum: 1 } } },
  },
  setup: { name: 'notes_setup', inputSchema: { type: 'object' } },
} as const;

describe('the code', () => {
  const files = new Map<string, string>();
  beforeAll(() => {
    for (const [name, tool] of Object.entries(tools)) {
      const facts = toolFacts(tool as never);
      const file = join(generated, `${name}.ts`);
      writeFileSync(file, proposalCode(propose(facts), facts)!);
      files.set(name, file);
    }
  });

  it('000-17: the code compiles under the strictest options', () => {
    const project = join(generated, 'tsconfig.json');
    // Against the declarations that authors have, and not the sources, which the type check reads anyway.
    const compilerOptions = { incremental: false, noUnusedLocals: true, paths: {} };
    const own = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files: [...files.values()] };
    writeFileSync(project, JSON.stringify(own));
    const { stdout } = spawnSync(process.execPath, [compiler('newest'), '-p', project, '--listFiles'], {
      encoding: 'utf8',
    });
    expect(stdout.split('\n').filter(line => line.includes('error TS'))).toEqual([]);
    expect(stdout.split('\n').filter(line => line.startsWith(generated))).toHaveLength(5);
  });

  describe.each(few(eras, '2025-11-25'))('%s', era => {
    const run = async (answer: Record<string, unknown>, found: readonly string[]) => {
      const { registerNoteDelete } = await import(/* @vite-ignore */ pathToFileURL(files.get('pick')!).href);
      const acted: string[] = [];
      const backend = {
        find: async () => found.map(id => ({ id, label: `Note ${id}` })),
        act: async ({ id }: { id: string }) => void acted.push(id),
      };
      const mid = midcall();
      const factory = () => {
        const server = new McpServer({ name: 'generated', version: '1.0.0' });
        registerNoteDelete(mid, server, backend);
        return server;
      };
      const person = scriptedPerson([answer], { repeat: true });
      await using pair = await connectPair(factory, { era, person });
      const result = await pair.client.callTool({ name: 'note_delete', arguments: { title: 'x' } });
      return { acted, text: (result.content[0] as { text: string }).text, asked: person.asked };
    };

    it('the code acts on what was picked and confirmed, and on nothing else', async () => {
      const yes = await run({ action: 'accept', content: { note_id: 'b', confirm: true } }, ['a', 'b']);
      expect(yes).toMatchObject({ acted: ['b'], text: 'Done: delete Note b.' });
      const proposal = propose(toolFacts(tools.pick as never));
      expect(shape(yes.asked[0]!.params['requestedSchema'])).toEqual(shape(form(proposal.asks[1]!.form!).schema));
      const no = await run({ action: 'accept', content: { note_id: 'b', confirm: false } }, ['a', 'b']);
      expect(no).toMatchObject({ acted: [], text: 'Nothing was deleted: it was not confirmed.' });
    });

    it('the code does nothing on a no, and on no answer', async () => {
      const refusals = { decline: 'the person said no', cancel: 'nobody decided (dismissed)' };
      for (const [action, why] of Object.entries(refusals))
        for (const found of [['a'], ['a', 'b']])
          expect(await run({ action }, found)).toMatchObject({ acted: [], text: `Nothing was deleted: ${why}.` });
    });
  });
});
