/**
 * The notes server on 2,000 real Markdown files, beside a plain SDK handler that does the same work with fs.promises and
 * no boundary: list all titles, search all texts, and get from a call to its first question. Both are called by an SDK
 * client in the same process, in both protocol revisions, in interleaved rounds; medians and their ratios.
 * Run after `npm run build`: node --import ./tools/load-typescript.mjs tools/bench/notes.mjs [rounds]
 */
import { promises as fs, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { notesServer } from '../../packages/midcall/dist/notes/index.js';
import { describe, headBytes, isNoteName } from '../../packages/midcall/dist/notes/note.js';
import { match, words } from '../../packages/midcall/dist/notes/search.js';
import { fillWithRealNotes } from './real-tree.ts';

const rounds = Number(process.argv[2] ?? 9);
const root = realpathSync(mkdtempSync(join(tmpdir(), 'midcall-bench-notes-')));
const total = fillWithRealNotes(root, 2_000);

/** A few at a time, as the notes server does it. */
async function each(items, fn) {
  const results = new Array(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await fn(items[index]);
    }
  };
  await Promise.all(Array.from({ length: 24 }, worker));
  return results;
}

async function plainScan() {
  const entries = await fs.readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter(each => each.isFile() && isNoteName(each.name))
    .map(each => join(each.parentPath, each.name));
  const notes = await each(paths, async path => {
    const handle = await fs.open(path);
    try {
      const buffer = Buffer.alloc(headBytes);
      const { bytesRead } = await handle.read(buffer, 0, headBytes, 0);
      const { mtimeMs } = await handle.stat();
      return { path, ...describe(basename(path), buffer.subarray(0, bytesRead).toString('utf8'), mtimeMs) };
    } finally {
      await handle.close();
    }
  });
  return notes.sort((a, b) => b.date.localeCompare(a.date) || (a.path < b.path ? -1 : 1));
}

const text = value => ({ content: [{ type: 'text', text: value }] });
const line = note => `- ${note.title} · ${note.date} (path: ${note.path})`;

/** The same three tools, written for each revision by hand. */
function plainServer(era) {
  const server = new McpServer({ name: 'plain', version: '1.0.0' });
  server.registerTool('notes_list', { inputSchema: z.strictObject({}) }, async () => {
    const notes = await plainScan();
    return text(notes.slice(0, 200).map(line).join('\n'));
  });
  server.registerTool('notes_search', { inputSchema: z.strictObject({ query: z.string() }) }, async ({ query }) => {
    const terms = words(query);
    const hits = await each(await plainScan(), async note => {
      const hit = match(terms, { title: note.title, text: await fs.readFile(note.path, 'utf8') });
      return hit && { ...note, ...hit };
    });
    return text(
      hits
        .filter(Boolean)
        .sort((a, b) => b.score - a.score)
        .slice(0, 20)
        .map(line)
        .join('\n'),
    );
  });
  server.registerTool(
    'notes_delete',
    { inputSchema: z.strictObject({ title: z.string() }) },
    async ({ title }, ctx) => {
      if (ctx.mcpReq.inputResponses !== undefined) return text('Nothing was deleted.');
      const notes = (await plainScan()).filter(note => note.title === title).slice(0, 50);
      const oneOf = notes.map((note, index) => ({ const: `note-${index}`, title: `${note.title} · ${note.date}` }));
      const properties = { note_id: { type: 'string', oneOf }, confirm: { type: 'boolean' } };
      const requestedSchema = { type: 'object', properties, required: ['note_id', 'confirm'] };
      const params = { mode: 'form', message: `Delete '${title}'? Multiple notes match; pick one.`, requestedSchema };
      if (era === '2026-07-28') return inputRequired({ inputRequests: { pick: inputRequired.elicit(params) } });
      await ctx.mcpReq.send({ method: 'elicitation/create', params });
      return text('Nothing was deleted.');
    },
  );
  return server;
}

async function connect(factory, era) {
  const mode = era === '2025-11-25' ? 'legacy' : { pin: era };
  const client = new Client(
    { name: 'bench', version: '1' },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode } },
  );
  const side = { client, questionAt: 0 };
  client.setRequestHandler('elicitation/create', () => {
    side.questionAt = performance.now();
    return { action: 'decline' };
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const served = serveStdio(factory, { transport: far });
  await client.connect(near);
  return Object.assign(side, { close: () => client.close().then(() => served.close()) });
}

const call = async (side, name, args) => {
  const begun = performance.now();
  const { isError, content } = await side.client.callTool({ name, arguments: args });
  if (isError) throw new Error(content[0].text);
  return { ms: performance.now() - begun, toQuestion: side.questionAt - begun };
};

const works = [
  { name: 'list', run: async side => (await call(side, 'notes_list', {})).ms },
  { name: 'search', run: async side => (await call(side, 'notes_search', { query: 'license install' })).ms },
  { name: 'first question', run: async side => (await call(side, 'notes_delete', { title: 'Changelog' })).toQuestion },
];

const median = numbers => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

console.log(`${total} files, ${rounds} rounds, medians in ms\n`);
console.log('revision    work            midcall    plain   ratio');
for (const era of ['2025-11-25', '2026-07-28']) {
  const midcall = await connect(notesServer({ directories: [root], warn: () => {} }).factory, era);
  const plain = await connect(() => plainServer(era), era);
  for (const { name, run } of works) {
    const times = { midcall: [], plain: [] };
    for (let round = -1; round < rounds; round += 1) {
      for (const [label, side] of round % 2 === 0
        ? [
            ['midcall', midcall],
            ['plain', plain],
          ]
        : [
            ['plain', plain],
            ['midcall', midcall],
          ]) {
        const ms = await run(side);
        if (round >= 0) times[label].push(ms);
      }
    }
    const [ours, theirs] = [median(times.midcall), median(times.plain)];
    const figures = [
      ours.toFixed(1).padStart(9),
      theirs.toFixed(1).padStart(8),
      (ours / theirs).toFixed(2).padStart(7),
    ];
    console.log(`${era}  ${name.padEnd(14)}${figures.join(' ')}`);
  }
  await midcall.stop();
  await plain.close();
}
rmSync(root, { recursive: true });
