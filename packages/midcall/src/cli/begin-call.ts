/** Starts a call: asks for the tool and the arguments that the command line leaves open, if a person is there. */

import { MidcallError, noSuchTool } from '@midcall/core/errors';
import { isForPeople, own } from '@midcall/core/json';
import { visible } from '@midcall/core/text';
import type { CallHandle, CallProgress, Catalogue, Connection } from '@midcall/host';
import type { Terminal } from '@midcall/host/terminal';
import { argumentsOf, askArguments } from './ask-arguments.ts';
import type { CallHistory, MadeCall } from './call-history.ts';
import type { JsonOutput } from './call-outcome.ts';
import type { ExitName } from './exit-codes.ts';
import { checkRequired, readToolArguments } from './tool-arguments.ts';

/** The call as the command line specifies it. */
export interface WantedCall {
  /** Absent if it names none. */
  readonly tool?: string;
  readonly words: readonly string[];
}

/** Who makes it. */
export interface CallDesk {
  readonly say: (lines: readonly string[]) => void;
  readonly json: JsonOutput | undefined;
  /** The person's terminal; absent if nobody can be asked. */
  readonly person?: { readonly terminal: Terminal; readonly history: CallHistory | undefined };
  readonly onProgress: (progress: CallProgress) => void;
  /** True if the time limit of the call is one of its task, too. */
  readonly limitsTask: boolean;
}

/** A call in progress. */
export type BegunCall = CallHandle & Pick<MadeCall, 'tool' | 'arguments'>;

/**
 * Calls the tool. If none is named and nobody can choose one, lists the tools.
 * @returns the exit code if no call is made
 * @throws MidcallError `cli/usage` if the tool does not exist or the arguments do not fit, `host/server-gone` if the server has
 *   ended meanwhile
 */
export async function beginCall(
  connection: Connection,
  serverId: string,
  { tool, words }: WantedCall,
  { say, json, person, onProgress, limitsTask }: CallDesk,
): Promise<BegunCall | ExitName> {
  const { tools, problems } = await connection.catalogue();
  const lines = problems.map(({ list, why }) => `The ${list} could not be listed: ${why}`);
  say(lines.map(line => `midcall: ${line}`));
  if (problems.some(({ list }) => list === 'tools')) {
    const exit = connection.state === 'ready' ? 'toolError' : 'noServer';
    json?.fail(exit, lines.join(' '));
    return exit;
  }
  const forPeople = tools.filter(isForPeople);
  if (tool === undefined && (!person || forPeople.length === 0)) {
    if (json) json.write(tools);
    else process.stdout.write(toolLines(forPeople));
    return 'ok';
  }
  const over = new AbortController();
  const stopListening = connection.subscribe(event => {
    if (event.type !== 'state' || event.state !== 'failed') return;
    over.abort();
    person?.terminal.interrupt();
  });
  try {
    const name = tool ?? (await chooseTool(person!.terminal, forPeople));
    if (name === undefined) return leave(connection);
    const schema = tools.find(each => each.name === name)?.inputSchema;
    if (!schema) throw noSuchTool(name, tools);
    let values = readToolArguments(words, schema);
    if (person) {
      const parameters = argumentsOf(schema);
      const earlier = (await person.history?.earlier({ serverId, tool: name }, parameters)) ?? new Map();
      const how = { optional: tool === undefined, earlier, over: over.signal };
      const answered = await askArguments(person.terminal, parameters, values, how);
      if (answered === undefined) return leave(connection);
      values = answered;
    }
    checkRequired(values, schema);
    const request = { kind: 'tool', name, arguments: values } as const;
    return { tool: name, arguments: values, ...connection.run(request, { onProgress, limitsTask }) };
  } finally {
    stopListening();
  }
}

/** Ends what was asked: either the person left, or the server did. @throws MidcallError `host/server-gone` */
function leave({ state, problem = 'The server has stopped.' }: Connection): ExitName {
  if (state === 'ready') return 'interrupted';
  throw new MidcallError('host/server-gone', problem);
}

type Tools = Catalogue['tools'];

/** The most characters of a tool's description. */
const mostAbout = 70;

/** A tool's description on one line; empty if its server gives none. */
function about({ title, description }: Tools[number]): string {
  const [first = ''] = (description ?? title ?? '').trim().split('\n');
  return visible(first.length <= mostAbout ? first : `${first.slice(0, mostAbout).replace(/(?<!\s)\s+\S*$/, '')} …`);
}

/** One line for each tool: its name, its required arguments, and what it is for. */
function toolLines(tools: Tools): string {
  if (tools.length === 0) return 'The server has no tools.\n';
  const rows = tools.map(tool => ({
    call: [visible(tool.name, { max: 100 }), ...requiredNames(tool)].join(' '),
    tool,
  }));
  const width = rows.reduce((most, { call }) => Math.min(Math.max(most, call.length), 50), 0);
  return rows.map(({ call, tool }) => `${`${call.padEnd(width)}  ${about(tool)}`.trimEnd()}\n`).join('');
}

const requiredNames = ({ inputSchema }: Tools[number]): readonly string[] => {
  const required = own(inputSchema, 'required');
  return (Array.isArray(required) ? required : []).map(name => `${visible(String(name), { max: 60 })}=…`);
};

/** @returns the name of the tool that the person chose; undefined if they chose none */
function chooseTool(terminal: Terminal, tools: Tools): Promise<string | undefined> {
  return terminal.choose({
    message: 'Which tool?',
    choices: tools.map(tool => {
      const hint = about(tool);
      return { value: tool.name, label: tool.name, ...(hint !== '' && { hint }) };
    }),
  });
}
