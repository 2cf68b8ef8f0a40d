/** A doctor and a host to examine, with a clock that only the host's answers move. */

import { type Clock, systemClock } from '@midcall/core/time';
import {
  type Carrier,
  connectPair,
  type Era,
  type PersonRequest,
  type Scripted,
  scriptedPerson,
} from '@midcall/testing';
import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { type DoctorOptions, doctorServer, type Report } from '../../packages/midcall/src/doctor/index.ts';
import { codeIn, visitor } from '../connect/visitor.ts';

export interface Clinic {
  readonly asked: readonly PersonRequest[];
  readonly clock: { now: number };
  readonly found: readonly (readonly Report[])[];
  whenAsked(count: number): Promise<PersonRequest>;
  call(tool?: string, args?: object, options?: object): Promise<CallToolResult>;
  report(tool?: string, args?: object, options?: object): Promise<Report>;
  tools(): Promise<readonly Tool[]>;
}

export interface ClinicOptions {
  readonly era: Era;
  readonly carrier?: Carrier;
  /** How the host answers; no handlers at all where absent. */
  readonly host?: (
    asked: PersonRequest,
    clock: { now: number },
  ) => ReturnType<Exclude<Scripted, 'never' | object> & never> | unknown;
  readonly capabilities?: object;
  readonly roots?: readonly string[];
  readonly doctor?: DoctorOptions;
  /** The timers of its clock; the system's where absent. */
  readonly after?: Clock['after'];
}

export const everything = {
  elicitation: { form: {}, url: {} },
  roots: { listChanged: true },
  sampling: {},
} as const;

export async function clinic({
  era,
  carrier = 'memory',
  host,
  capabilities = everything,
  roots = [],
  doctor,
  after = systemClock.after,
}: ClinicOptions): Promise<Clinic> {
  const clock = { now: 1_000_000 };
  const found: (readonly Report[])[] = [];
  const { factory, pages, stop } = doctorServer({
    clock: { now: () => clock.now, after },
    warn: () => {},
    pages: { reach: { kind: 'here', browser: false } },
    onFound: reports => void found.push(reports),
    ...doctor,
  });
  const answer: Scripted = asked => host!(asked, clock) as never;
  const person = scriptedPerson([answer], { repeat: true, roots: () => roots.map(uri => ({ uri })) });
  const pair = await connectPair(factory, { era, carrier, capabilities, ...(host && { person }) });
  onTestFinished(async () => {
    await Promise.all(visits.splice(0));
    await pair.close();
    await pages.close();
    await stop({ within: 0 });
  });
  const call = (tool = 'doctor', args: object = {}, options: object = {}) =>
    pair.client.callTool({ name: tool, arguments: args as Record<string, unknown> }, options);
  return {
    asked: person.asked,
    clock,
    found,
    whenAsked: person.whenAsked,
    call,
    report: async (tool, args, options) => (await call(tool, args, options)).structuredContent as unknown as Report,
    tools: async () => (await pair.client.listTools()).tools,
  };
}

/** The outcome of each line, by name. */
export const outcomesOf = ({ checks }: Report): Readonly<Record<string, string>> =>
  Object.fromEntries(checks.map(({ check, outcome }) => [check, outcome]));

/** What a line says. */
export const said = ({ checks }: Report, name: string): string =>
  checks.find(({ check }) => check === name)?.says ?? '';

const visits: Promise<void>[] = [];

/** Somebody who takes their time, and does what they are asked to. */
export async function obliging(asked: PersonRequest, clock: { now: number }): Promise<Record<string, unknown>> {
  clock.now += 4_000;
  const message = String(asked.params['message'] ?? '');
  if (asked.method === 'sampling/createMessage') {
    const [, word] = /the one word '(\w+)'/.exec(JSON.stringify(asked.params)) ?? [];
    return { role: 'assistant', model: 'tiny', content: { type: 'text', text: `${word}.` } };
  }
  if (typeof asked.params['url'] === 'string') {
    // Consent leaves first; the page is finished while the call waits for it.
    visits.push(visit(asked.params['url'], codeIn(message)));
    return { action: 'accept' };
  }
  const word = /Type the word '(\w+)'/.exec(message)?.[1];
  if (word) return { action: 'accept', content: { word } };
  if (message.includes('Decline this')) return { action: 'decline' };
  if (message.includes('Close this')) return { action: 'cancel' };
  return { action: 'accept', content: filledIn(message) };
}

/** The fields as they are asked for. */
export function filledIn(message: string): Record<string, unknown> {
  const [, number, colour, animals] = /Number: (\d+)\. .*Colour: (\w+)\. Animals: ([\w ]+)\./.exec(message)!;
  return {
    text: 'leave me',
    number: Number(number),
    boolean: true,
    choice: colour!.toLowerCase(),
    choices: animals!.toLowerCase().split(' and '),
  };
}

async function visit(url: string, code: string): Promise<void> {
  const who = visitor(url);
  const first = await who.get();
  if (/name="code"/.test(first.text)) await who.send({ do: 'code', code });
  await who.send({});
}
