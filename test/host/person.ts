/** A scripted person for host tests: a presenter that answers by rule, and a connection to the asking server. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  Connection,
  type ConnectionEvent,
  type ConnectionOptions,
  commandTarget,
  type Ending,
  type Era,
  Inbox,
  type Presenter,
  type Question,
  type Reply,
} from '@midcall/host';

/** A file whose coming tells a server of the fixtures to go on. */
export function cue(): { readonly path: string; give(): void } {
  const path = join(mkdtempSync(join(tmpdir(), 'midcall-cue-')), 'now');
  return { path, give: () => writeFileSync(path, '') };
}

export const askingServer = fileURLToPath(new URL('../fixtures/asking-server.mjs', import.meta.url));

/** Answers every question it is shown with what `answer` says; undefined leaves it open. */
export function person(answer: (question: Question) => Reply | undefined): Presenter & {
  readonly seen: Question[];
  readonly endings: Ending[];
} {
  const seen: Question[] = [];
  const endings: Ending[] = [];
  return {
    via: 'script',
    seen,
    endings,
    show(question, { reply, ended }) {
      seen.push(question);
      ended.addEventListener('abort', () => endings.push(ended.reason as Ending));
      const given = answer(question);
      if (given) queueMicrotask(() => void reply(given));
    },
  };
}

/** A connection to the asking server; started. */
export async function connected(
  era: Era,
  options: Partial<ConnectionOptions> & { readonly inbox?: Inbox } = {},
): Promise<{ readonly connection: Connection; readonly inbox: Inbox }> {
  const inbox = options.inbox ?? new Inbox();
  const connection = new Connection(
    { id: 'asking', target: commandTarget([process.execPath, askingServer]) },
    { client: { name: 'midcall-test', version: '1.0.0' }, era, ...options, inbox },
  );
  await connection.start();
  return { connection, inbox };
}

/** Everything a connection tells from now on. */
export function eventsOf(connection: Connection): readonly ConnectionEvent[] {
  const events: ConnectionEvent[] = [];
  connection.subscribe(event => events.push(event));
  return events;
}

/** Resolves with the next question asked. */
export function nextQuestion(inbox: Inbox): Promise<Question> {
  return new Promise(resolve => {
    const stop = inbox.subscribe(event => {
      if (event.type !== 'asked') return;
      stop();
      resolve(event.question);
    });
  });
}

/** The text a tool answered with, as JSON. */
export function said(outcome: { readonly how: string; readonly result?: Readonly<Record<string, unknown>> }): unknown {
  const content = outcome.result?.['content'] as { text: string }[] | undefined;
  const text = content?.[0]?.text ?? '';
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
