/** The documents' consoles: what they show is what comes. */
import { fileURLToPath } from 'node:url';
import { connectPair } from '@midcall/testing';
import { expect, it } from 'vitest';
import { notesServer } from '../../packages/midcall/src/notes/index.ts';
import { clinic, obliging } from '../doctor/fixture.ts';
import { eventually } from '../fixtures/grown.ts';
import { documented, type Script, type Typed, transcript } from './transcript.ts';

const prompt = 'Number or name: ';
const answered: readonly Typed[] = [
  [prompt, '1'],
  [prompt, '2'],
  [prompt, '1'],
];

const scripts: Readonly<Record<string, Script>> = {
  'start-call': {
    folder: 'examples/start',
    commands: ['npx midcall call table_book guests=4 -- node server.mjs'],
    types: answered,
  },
  'start-host': { folder: 'examples/start', commands: ['node host.mjs'], types: answered },
  'user-call': {
    folder: '.',
    commands: [
      'npx midcall call notes_archive title="Boiler service" -- npx midcall notes packages/midcall/samples/notes',
    ],
    types: [[prompt, '2']],
  },
  'user-answers': {
    folder: 'examples/start',
    commands: ['npx midcall call table_book guests=2 --answers answers.json -- node server.mjs'],
  },
  'doctor-report': {
    folder: '.',
    commands: ['npx midcall call doctor_report --config examples/doctor/mcp.json'],
  },
  'wire-2025': { folder: '.', commands: ['npx midcall demo'], from: '2025-11-25 · 2.' },
  'wire-2026': { folder: '.', commands: ['npx midcall demo'], from: '2026-07-28 · 2.' },
};

it.each(Object.entries(scripts))('%s.txt is what a terminal shows', async (name, script) => {
  const { now, documented } = await transcript(name, script);
  expect(now).toBe(documented);
});

it('ask-again.txt is what the model is told where the person cannot be asked', async () => {
  const samples = fileURLToPath(new URL('../../packages/midcall/samples/notes', import.meta.url));
  const said: string[] = [];
  for (const tool of ['notes_delete', 'notes_archive']) {
    const { factory } = notesServer({ directories: [samples], warn: () => {} });
    await using pair = await connectPair(factory, { era: '2025-11-25', capabilities: {} });
    const title = tool === 'notes_delete' ? 'TPS report' : 'Boiler service';
    const result = await pair.client.callTool({ name: tool, arguments: { title } });
    said.push(`→ tools/call ${tool} ${JSON.stringify({ title })}`, (result.content[0] as { text: string }).text, '');
  }
  const now = `${said.join('\n').trimEnd()}\n`;
  expect(now).toBe(documented('ask-again', now));
});

it('doctor.txt is the report on a host that does some things by itself', async () => {
  let begin = (): void => {};
  const holding = new Promise<void>(resolve => {
    begin = resolve;
  });
  const host = await clinic({
    era: '2025-11-25',
    doctor: {
      waitMs: 100_000,
    },
    after(ms) {
      if (ms === 120_000) begin();
      return () => {};
    },
    capabilities: { elicitation: { form: {}, url: {} }, roots: {} },
    roots: ['file:///home/ada/work'],
    async host(asked, clock) {
      const message = String(asked.params['message']);
      if (asked.params['url'] !== undefined) return { action: 'decline' };
      if (message.includes('Close this')) clock.now += 2_000;
      return message.includes('Close this') ? { action: 'decline' } : obliging(asked, clock);
    },
  });
  const stop = new AbortController();
  await host.call();
  const cut = host.call('doctor_timeout', {}, { signal: stop.signal });
  await holding;
  host.clock.now += 60_000;
  stop.abort(new Error('Request timed out'));
  await expect(cut).rejects.toThrow();
  const said = async () => ((await host.call('doctor_report')).content[0] as { text: string }).text;
  await eventually(async () => (await said()).includes('cancelled'));
  const now = `${await said()}\n`;
  expect(now).toBe(documented('doctor', now));
});
