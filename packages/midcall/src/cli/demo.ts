/**
 * `midcall demo`: three calls of a real notes server in a child process, in both protocol revisions, with the messages
 * exchanged. Each ends with a check of the files; the command fails if one of them does not hold.
 */
import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { interceptTransport } from '@midcall/core/sdk-seam';
import { outputValidator } from '@midcall/host';
import { type Era, eras, negotiation } from '@midcall/testing';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Command } from 'commander';
import { ownCommand } from '../install/index.ts';
import { copySamples } from '../notes/index.ts';
import { exitCodes } from './exit-codes.ts';

/** Adds the subcommand. */
export function register(command: Command): void {
  command.action(async () => {
    const print = (line: string): void => void process.stdout.write(`${line}\n`);
    let wrong = 0;
    for (const era of eras) wrong += await demonstrate(era, print);
    print(wrong === 0 ? '\nAll six went right.' : `${wrong} of 6 went wrong.`);
    if (wrong > 0) process.exitCode = exitCodes.failure.code;
  });
}

interface Scenario {
  readonly title: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Files that must be gone afterwards; nothing else may have changed outside the trash. */
  readonly gone: readonly string[];
  readonly refused: boolean;
  readonly questions: number;
}

const scenarios: readonly Scenario[] = [
  {
    title: 'one match: deleted without a question',
    tool: 'notes_delete',
    args: { title: 'Boiler service' },
    gone: ['home/boiler service.md'],
    refused: false,
    questions: 0,
  },
  {
    title: 'three matches: the person picks one',
    tool: 'notes_delete',
    args: { title: 'TPS report' },
    gone: ['work/2024/tps-report.md'],
    refused: false,
    questions: 1,
  },
  {
    title: 'a write outside the roots: refused',
    tool: 'notes_write',
    args: { path: '../escaped.md', text: 'out\n' },
    gone: [],
    refused: true,
    questions: 0,
  },
];

/** @returns how many scenarios went wrong */
async function demonstrate(era: Era, print: (line: string) => void): Promise<number> {
  const directory = await copySamples();
  const client = new Client(
    { name: 'midcall-demo', version: '1.0.0' },
    {
      capabilities: { elicitation: {}, roots: { listChanged: true } },
      jsonSchemaValidator: outputValidator(),
      versionNegotiation: negotiation(era),
    },
  );
  let questions = 0;
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: pathToFileURL(directory).href, name: 'Notes' }] }));
  client.setRequestHandler('elicitation/create', ({ params }) => {
    questions += 1;
    return { action: 'accept', content: { note_id: choiceOf('work/2024', params), confirm: true } };
  });

  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [ownCommand, 'notes', directory],
    stderr: 'ignore',
  });
  let wrong = 0;
  try {
    await client.connect(transport);
    tap(transport, line => print(`    ${line}`));
    for (const [index, scenario] of scenarios.entries()) {
      print(`\n${era} · ${index + 1}. ${scenario.title}`);
      const before = await notesIn(dirname(directory));
      questions = 0;
      const result = await client.callTool({ name: scenario.tool, arguments: { ...scenario.args } });
      const after = await notesIn(dirname(directory));
      const removed = before.filter(path => !after.includes(path));
      const right =
        same(
          removed,
          scenario.gone.map(path => `notes/${path}`),
        ) &&
        after.every(path => before.includes(path)) &&
        questions === scenario.questions &&
        (result.isError === true) === scenario.refused;
      if (!right) wrong += 1;
      print(
        `  ${right ? 'right' : 'WRONG'}: ${scenario.gone.length === 0 ? 'no file has changed' : `gone: ${removed.join(', ')}`}`,
      );
    }
  } finally {
    await client.close();
    await rm(dirname(directory), { recursive: true, force: true });
  }
  return wrong;
}

type Json = Readonly<Record<string, unknown>>;

const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});

const brief = (value: unknown): string => {
  const text = JSON.stringify(value) ?? '';
  return text.length <= 160 ? text : `${text.slice(0, 159)}…`;
};

/**
 * One JSON-RPC frame as a few readable lines: the sender, the form, the answer.
 * @param arrow - its direction
 * @returns nothing for frames that only maintain the connection
 */
export function frameLines(arrow: '→' | '←', frame: unknown): string[] {
  const { method, params, result, error } = object(frame);
  if (typeof method === 'string') {
    if (method.startsWith('notifications/')) return [];
    return request(arrow, method, object(params));
  }
  if (error !== undefined) return [`${arrow} error ${object(error)['code']}: ${object(error)['message']}`];
  return response(arrow, object(result));
}

function request(arrow: string, method: string, params: Json): string[] {
  if (method === 'elicitation/create') return [`${arrow} ${method}: ${params['message']}`, ...form(params)];
  if (method !== 'tools/call') return [`${arrow} ${method}`];
  const answers = Object.values(object(params['inputResponses'])).map(each => `    answer: ${answer(object(each))}`);
  const again = params['requestState'] === undefined ? '' : ', with the sealed state';
  return [`${arrow} ${method} ${params['name']} ${brief(params['arguments'])}${again}`, ...answers];
}

function response(arrow: string, result: Json): string[] {
  if (result['resultType'] === 'input_required') {
    const requestLines = Object.values(object(result['inputRequests'])).flatMap(each => {
      const { method, params } = object(each);
      return request('   ', String(method), object(params));
    });
    return [`${arrow} input_required, with a sealed state`, ...requestLines];
  }
  if (Array.isArray(result['content'])) {
    const [first] = result['content'] as unknown[];
    return [`${arrow} ${result['isError'] === true ? 'result, isError' : 'result'}: ${object(first)['text']}`];
  }
  return [`${arrow} ${answer(result)}`];
}

function answer(result: Json): string {
  if (typeof result['action'] === 'string') return `${result['action']} ${brief(result['content'])}`;
  const roots = result['roots'];
  return Array.isArray(roots) ? `roots ${roots.map(root => object(root)['uri']).join(' ')}` : 'ok';
}

function form(params: Json): string[] {
  const { properties } = object(params['requestedSchema']);
  return Object.entries(object(properties)).flatMap(([name, property]) => {
    const { type, oneOf } = object(property);
    if (!Array.isArray(oneOf)) return [`      ${name}: ${type}`];
    return [
      `      ${name}: one of`,
      ...oneOf.map(each => `        ${object(each)['const']}  ${object(each)['title']}`),
    ];
  });
}

/** Prints the relevant frames, in both directions. */
function tap(transport: StdioClientTransport, print: (line: string) => void): void {
  interceptTransport(transport, {
    incoming: (message, deliver) => {
      for (const line of frameLines('←', message)) print(line);
      deliver(message);
    },
    outgoing: async (message, send) => {
      for (const line of frameLines('→', message)) print(line);
      await send(message);
    },
  });
}

/** The demo's person: chooses the entry that names this folder. */
function choiceOf(folder: string, params: unknown): string {
  const { requestedSchema } = params as { requestedSchema: { properties: { note_id: { oneOf: Choice[] } } } };
  return requestedSchema.properties.note_id.oneOf.find(each => each.title.includes(folder))!.const;
}

interface Choice {
  readonly const: string;
  readonly title: string;
}

/** Every file below a directory, except in hidden folders. */
async function notesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .filter(path => !path.split('/').some(part => part.startsWith('.')))
    .sort();
}

const same = (a: readonly string[], b: readonly string[]): boolean => JSON.stringify(a) === JSON.stringify(b);
