/** Starts a call: asks for the tool and the arguments that the command line leaves open, if a person is there. */

import { noSuchTool } from '@midcall/core/errors';
import { isForPeople } from '@midcall/core/json';
import { visibleJson } from '@midcall/core/text';
import type { CallHandle, CallProgress, Connection } from '@midcall/host';
import type { Terminal } from '@midcall/host/terminal';
import { argumentsOf, askArguments } from './ask-arguments.ts';
import type { CallHistory, MadeCall } from './call-history.ts';
import type { ExitName } from './exit-codes.ts';
import { checkRequired, readToolArguments } from './tool-arguments.ts';
import { chooseTool, toolLines } from './tool-list.ts';

/** The call as the command line specifies it. */
export interface WantedCall {
  /** Absent if it names none. */
  readonly tool?: string;
  readonly words: readonly string[];
}

/** Who makes it. */
export interface CallDesk {
  readonly say: (lines: readonly string[]) => void;
  readonly json: boolean;
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
 * @throws MidcallError `cli/usage` if the tool does not exist or the arguments do not fit
 */
export async function beginCall(
  connection: Connection,
  serverId: string,
  { tool, words }: WantedCall,
  { say, json, person, onProgress, limitsTask }: CallDesk,
): Promise<BegunCall | ExitName> {
  const { tools, problems } = await connection.catalogue();
  say(problems.map(({ list, why }) => `midcall: The ${list} could not be listed: ${why}`));
  if (problems.some(({ list }) => list === 'tools')) return connection.state === 'ready' ? 'toolError' : 'noServer';
  const forPeople = tools.filter(isForPeople);
  if (tool === undefined && (!person || forPeople.length === 0)) {
    process.stdout.write(json ? `${visibleJson(tools)}\n` : toolLines(forPeople));
    return 'ok';
  }
  const name = tool ?? (await chooseTool(person!.terminal, forPeople));
  if (name === undefined) return 'interrupted';
  const schema = tools.find(each => each.name === name)?.inputSchema;
  if (!schema) throw noSuchTool(name, tools);
  let values = readToolArguments(words, schema);
  if (person) {
    const parameters = argumentsOf(schema);
    const earlier = (await person.history?.earlier({ serverId, tool: name }, parameters)) ?? new Map();
    const answered = await askArguments(person.terminal, parameters, values, { optional: tool === undefined, earlier });
    if (answered === undefined) return 'interrupted';
    values = answered;
  }
  checkRequired(values, schema);
  const request = { kind: 'tool', name, arguments: values } as const;
  return { tool: name, arguments: values, ...connection.run(request, { onProgress, limitsTask }) };
}
