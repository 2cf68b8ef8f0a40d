/** Runs the code of docs/migrate-*.md, each server in a process of its own: the person sees the same before and after. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Era, negotiation } from '@midcall/testing';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Question {
  readonly message: string;
  readonly requestedSchema: { readonly properties: Readonly<Record<string, { readonly oneOf: readonly Choice[] }>> };
}
interface Choice {
  readonly const: string;
  readonly title: string;
}

/** A line for each question with what was offered and picked, and for each result. */
async function transcript(server: string, era: Era): Promise<readonly string[]> {
  const lines: string[] = [];
  let picks: string[] = [];
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { capabilities: { elicitation: {} }, versionNegotiation: negotiation(era) },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    const { message, requestedSchema } = params as unknown as Question;
    const [[field, { oneOf }]] = Object.entries(requestedSchema.properties) as [[string, { oneOf: Choice[] }]];
    const pick = picks.shift();
    const choice = oneOf.find(({ title }) => title === pick);
    lines.push(`${message} ${oneOf.map(({ title }) => title).join(' or ')}? ${choice?.title ?? 'No'}`);
    return choice ? { action: 'accept', content: { [field]: choice.const } } : { action: 'decline' };
  });
  const args = ['--import', join(root, 'tools/load-typescript.mjs'), join(root, 'examples/migrate/main.ts'), server];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: root, stderr: 'ignore' }));
  const call = async (customer: string, ...answers: string[]) => {
    picks = answers;
    const { content, isError } = await client.callTool({ name: 'orders_cancel', arguments: { customer } });
    lines.push(`${isError ? 'error: ' : ''}${(content as { text: string }[])[0]!.text}`);
  };
  try {
    await call('Ada');
    await call('Ada', 'Tent');
    await call('Ada', 'Tent', 'As a voucher');
    await call('Ada', 'Boots', 'To the card');
    await call('Ada');
    return lines;
  } finally {
    await client.close();
  }
}

describe.each([
  ['SDK v1', 'sdk-v1', '2025-11-25'],
  ['fastmcp', 'fastmcp', '2025-11-25'],
  ['Midcall', 'after', '2025-11-25'],
  ['Midcall', 'after', '2026-07-28'],
] as const)('the shop on %s', (_, server, era) => {
  it(`the shop asks the same, and does the same, on ${era}`, async () => {
    expect(await transcript(server, era)).toEqual([
      'Which order shall be cancelled? Boots or Tent? No',
      'Nothing was cancelled.',
      'Which order shall be cancelled? Boots or Tent? Tent',
      'How shall the €340 for Tent be returned? To the card or As a voucher? No',
      'Nothing was cancelled.',
      'Which order shall be cancelled? Boots or Tent? Tent',
      'How shall the €340 for Tent be returned? To the card or As a voucher? As a voucher',
      'Cancelled Tent, €340 by voucher.',
      'Which order shall be cancelled? Boots? Boots',
      'How shall the €120 for Boots be returned? To the card or As a voucher? To the card',
      'Cancelled Boots, €120 by card.',
      'error: Ada has no open order.',
    ]);
  });
});

const python = spawnSync('python3', ['--version']).status === 0;

describe('the shop on FastMCP', () => {
  it.runIf(python)('the shop on FastMCP compiles', () => {
    const folder = mkdtempSync(join(tmpdir(), 'midcall-python-'));
    const source = join(root, 'examples/migrate/fastmcp_python.py');
    const compile = `import py_compile, sys; py_compile.compile(sys.argv[1], sys.argv[2], doraise=True)`;
    try {
      execFileSync('python3', ['-c', compile, source, join(folder, 'out.pyc')]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
