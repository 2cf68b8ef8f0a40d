/**
 * Ten servers from npm that nobody here wrote: what they list and answer is the same directly, behind the bridge and by
 * `midcall call`, and lint reads them.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it } from 'vitest';
import { root } from '../../tools/places.ts';
import { fromNpm } from '../fixtures/from-npm.ts';
import { ownEnvironment } from '../fixtures/own-environment.ts';

const main = join(root, 'packages/midcall/bin/midcall.js');
const run = promisify(execFile);

interface Tried {
  readonly spec: string;
  readonly program: string;
  readonly args?: (folder: string) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A tool that changes nothing, and what it is called with. */
  readonly tool: string;
  readonly with?: (folder: string) => object;
}

const official = (name: string): Pick<Tried, 'spec' | 'program'> => ({
  spec: `@modelcontextprotocol/${name}@2026.8.31`,
  program: `@modelcontextprotocol/${name}/dist/index.js`,
});

const servers: readonly Tried[] = [
  { ...official('server-everything'), tool: 'get-sum', with: () => ({ a: 2, b: 3 }) },
  {
    ...official('server-filesystem'),
    args: folder => [folder],
    tool: 'read_text_file',
    with: folder => ({ path: join(folder, 'note.txt') }),
  },
  { ...official('server-memory'), tool: 'read_graph' },
  {
    ...official('server-sequential-thinking'),
    tool: 'sequentialthinking',
    with: () => ({ thought: 'One.', thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false }),
  },
  { spec: 'fastmcp@4.20.16', program: 'own-fastmcp.mjs', tool: 'add', with: () => ({ a: 2, b: 3 }) },
  { spec: '@playwright/mcp@0.0.83', program: '@playwright/mcp/cli.js', tool: 'browser_close' },
  {
    spec: 'chrome-devtools-mcp@1.11.0',
    program: 'chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js',
    args: () => ['--executablePath', '/nowhere', '--isolated'],
    tool: 'list_pages',
  },
  {
    spec: '@upstash/context7-mcp@4.1.1',
    program: '@upstash/context7-mcp/dist/index.js',
    tool: 'resolve-library-id',
    with: () => ({ libraryName: 'x', query: 'x' }),
  },
  {
    spec: '@notionhq/notion-mcp-server@2.5.2',
    program: '@notionhq/notion-mcp-server/bin/cli.mjs',
    env: { NOTION_TOKEN: 'none' },
    tool: 'API-get-self',
  },
  {
    spec: 'tavily-mcp@0.2.22',
    program: 'tavily-mcp/build/index.js',
    env: { TAVILY_API_KEY: 'none' },
    tool: 'tavily_search',
    with: () => ({ query: 'x' }),
  },
];

/** fastmcp is a library: this is a server made with it. */
const fastmcp = `import { FastMCP } from 'fastmcp';
import { z } from 'zod';
const server = new FastMCP({ name: 'sums', version: '1.0.0' });
server.addTool({
  name: 'add',
  description: 'Adds.',
  annotations: { readOnlyHint: true },
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => String(a + b),
});
await server.start({ transportType: 'stdio' });
`;

/** What may differ between two starts of a server: times, and the place of its own stack; and what 2026-07-28 adds to a result. */
const settled = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/\d{4}-\d\d-\d\dT[\d:.-]+Z?/gu, 'TIME'), (name, member: unknown) =>
    name === '_meta' ? withoutServer(member) : member,
  );

function withoutServer(meta: unknown): unknown {
  const { 'io.modelcontextprotocol/serverInfo': _, ...rest } = members(meta);
  return Object.keys(rest).length > 0 ? rest : undefined;
}

const members = (value: unknown): Readonly<Record<string, unknown>> => value as Readonly<Record<string, unknown>>;

async function seen(command: readonly string[], { tool, env = {} }: Tried, args: object, cwd: string) {
  const [program, ...rest] = command as [string, ...string[]];
  // As a bridge declares them whatever its host does: some servers have tools for such clients only.
  const capabilities = { elicitation: { form: {}, url: {} }, sampling: {} };
  const client = new Client({ name: 'host', version: '1.0.0' }, { capabilities });
  await client.connect(
    new StdioClientTransport({
      command: program,
      args: rest,
      cwd,
      env: { ...ownEnvironment(), ...env },
      stderr: 'ignore',
    }),
    { timeout: 120_000 },
  );
  const has = client.getServerCapabilities() ?? {};
  const lists = {
    tools: (await client.listTools()).tools,
    prompts: has.prompts ? (await client.listPrompts()).prompts : [],
    resources: has.resources ? (await client.listResources()).resources : [],
    templates: has.resources ? (await client.listResourceTemplates()).resourceTemplates : [],
  };
  const result: object = await client
    .callTool({ name: tool, arguments: { ...args } }, { timeout: 120_000 })
    .catch((error: Error) => ({ failed: error.message }));
  const about = { info: client.getServerVersion(), instructions: client.getInstructions() };
  await client.close();
  return { about, has: members(has), lists, result };
}

/** A capability without the word that a list never changes: behind a bridge it may, when the server is another after a restart. */
function mayChange(capability: object): object {
  const { listChanged, ...rest } = capability as { readonly listChanged?: boolean };
  return listChanged === true ? { ...rest, listChanged } : rest;
}

/** The tools without the tasks that a bridge adds. */
const withoutTasks = (tools: readonly object[]): unknown =>
  tools.map(tool => {
    const { execution: _, ...rest } = members(tool);
    return rest;
  });

it.each(servers)(
  '$spec lists and answers the same directly, behind the bridge and by call; lint reads it',
  async each => {
    const { spec, program, tool, env = {} } = each;
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'npm-server-')));
    writeFileSync(join(folder, 'note.txt'), 'a note');
    const name = spec.slice(0, spec.lastIndexOf('@'));
    const cache = `servers/${name.replace('/', '+')}`;
    const installed = fromNpm(cache, spec, `${name}/package.json`);
    expect(installed, 'npm could not install it').toBeDefined();
    const modules = installed!.slice(0, -`/${name}/package.json`.length);
    if (program.startsWith('own-')) writeFileSync(join(dirname(modules), program), fastmcp);
    const path = program.startsWith('own-') ? join(dirname(modules), program) : join(modules, program);
    const server = [process.execPath, path, ...(each.args?.(folder) ?? [])];
    const args = each.with?.(folder) ?? {};

    const direct = await seen(server, each, args, folder);
    const bridged = await seen([process.execPath, main, 'bridge', '--', ...server], each, args, folder);
    expect(bridged.about).toEqual(direct.about);
    expect(withoutTasks(bridged.lists.tools)).toEqual(withoutTasks(direct.lists.tools));
    for (const list of ['prompts', 'resources', 'templates'] as const)
      expect(settled(bridged.lists[list])).toEqual(settled(direct.lists[list]));
    expect(settled(bridged.result)).toEqual(settled(direct.result));
    for (const [capability, value] of Object.entries(direct.has))
      expect(bridged.has[capability]).toMatchObject(mayChange(value as object));

    const options = {
      cwd: folder,
      env: { ...ownEnvironment(), ...env },
      timeout: 240_000,
      maxBuffer: 64 * 1024 * 1024,
    };
    const midcall = (...words: readonly string[]) =>
      run(process.execPath, [main, ...words, '--', ...server], options).then(
        ({ stdout }) => stdout,
        (error: { readonly stdout: string; readonly stderr: string }) => error.stdout || error.stderr,
      );
    const called = members(JSON.parse(await midcall('call', '--json', '--no-keep', tool, JSON.stringify(args))));
    if ('failed' in direct.result) expect(JSON.stringify(called)).toContain(direct.result.failed);
    else expect(settled(called['result'])).toEqual(settled(direct.result));

    const report = members(
      JSON.parse(
        await midcall('lint', '--format', 'json', '--wait', '60', '--tool', tool, '--args', JSON.stringify(args)),
      ),
    );
    const rules = (report['findings'] as readonly { readonly rule: string }[]).map(({ rule }) => rule);
    const { tools, prompts, resources, templates } = direct.lists;
    const added = Object.keys(bridged.has).filter(capability => !(capability in direct.has));
    console.info(
      `${spec}: ${tools.length} tools, ${prompts.length} prompts, ${resources.length} resources, ${templates.length} templates; ` +
        `the bridge adds ${added.join(', ') || 'nothing'}; lint: ${rules.join(', ') || 'nothing found'}`,
    );
  },
);
