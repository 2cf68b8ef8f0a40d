/**
 * `notes_import` brings notes over from a service that people sign in to, and `notes_disconnect` ends that sign-in. The person
 * signs in once, on a page of this server; the token stays in the vault, and is read inside the step that uses it, so that it
 * enters neither a journal nor a result.
 */

import { isMidcallError, MidcallError } from '@midcall/core/errors';
import { limitedFetch } from '@midcall/core/fetch';
import { notDone, whyNot } from '@midcall/server';
import { oauth, type Provider, type Vault } from '@midcall/server/connect';
import type { Files } from '@midcall/server/roots';
import { z } from 'zod';
import { maxNoteBytes } from './notebook.ts';
import { oneLine } from './one-line.ts';
import { pathArgument, type Registry } from './registry.ts';
import { count, reply } from './reply.ts';
import { sdkVersion, tooOld } from './sdk-guard.ts';

/** The service that notes come from. */
export interface Importing {
  readonly provider: Provider;
  readonly vault: Vault;
  /** The address of a person's list of notes. */
  readonly address: URL;
  /** The fetch function; the global one if absent. */
  readonly fetch?: typeof fetch;
  /** The SDK's version; that of this process if absent. */
  readonly sdk?: string;
}

/** The outcome of an import; plain JSON, so that a step can record it. */
type Imported =
  | { readonly outcome: 'imported'; readonly created: number; readonly unchanged: number; readonly kept: number }
  | { readonly outcome: 'signed-out' }
  | { readonly outcome: 'not-allowed'; readonly why: string };

/** One note as the service has it. */
interface RemoteNote {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** The result of fetching. */
type Fetched =
  | { readonly outcome: 'fetched'; readonly notes: readonly RemoteNote[] }
  /** The service does not accept the token: the sign-in has ended there. */
  | { readonly outcome: 'signed-out' };

/** The most notes of one import. */
const maxImported = 500;
/** The largest response of the service, in bytes. */
const maxAnswer = 16 * 1024 * 1024;
const timeoutMs = 30_000;

const answerShape = z.object({
  notes: z
    .array(
      z.object({
        id: z.string().regex(/^[\w-]{1,64}$/u),
        title: z.string().min(1).max(500),
        text: z.string().max(maxNoteBytes),
      }),
    )
    .max(maxImported),
});

const broken = (text: string): MidcallError => new MidcallError('connect/provider', `${text} Nothing was imported.`);

/**
 * Fetches every note of a web service with the person's access token. Anybody may have written them. Errors say what happened,
 * without the token or any part of the response.
 * @param address - of the service's list of notes, `{ notes: [{ id, title, text }] }`
 * @throws MidcallError `connect/provider` if there is no usable response
 */
async function fetchNotes(
  address: URL,
  token: string,
  options: { readonly signal: AbortSignal; readonly fetch: typeof fetch },
): Promise<Fetched> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(timeoutMs)]);
  const onTooLarge = (): never => {
    throw broken('The service’s answer is too large.');
  };
  const fetchSome = limitedFetch(options.fetch, { mostBytes: maxAnswer, onTooLarge });
  try {
    // A redirect would send the token to an unintended place.
    const init = {
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
      redirect: 'error',
    } as const;
    const response = await fetchSome(address, { ...init, signal });
    if (response.status === 401) return { outcome: 'signed-out' };
    if (!response.ok) throw broken(`The service answered with HTTP status ${response.status}.`);
    const read = answerShape.safeParse(await response.json());
    if (!read.success) throw broken('The service returned something other than a list of notes, or too many notes.');
    return { outcome: 'fetched', notes: read.data.notes };
  } catch (error) {
    if (error instanceof MidcallError) throw error;
    if (error instanceof SyntaxError)
      throw broken('The service returned something other than a list of notes, or too many notes.');
    throw broken('The service cannot be reached, or did not answer in time.');
  }
}

/** Registers both tools. */
export function registerImport({ mid, server, files }: Registry, importing: Importing): void {
  const { provider, vault, address, fetch: web = fetch } = importing;
  const { name } = provider;

  mid.tool(
    server,
    'notes_import',
    {
      title: `Import notes from ${name}`,
      description: `Copies the person’s notes from ${name} into a folder; they sign in there once, on a page. Nothing that exists is replaced.`,
      inputSchema: z.strictObject({
        folder: pathArgument.default('imported').describe('Where the notes go; created where missing.'),
      }),
      outputSchema: z.object({
        outcome: z.string(),
        created: z.number().optional(),
        unchanged: z.number().optional(),
        kept: z.number().optional().describe('Notes changed here since an earlier import, and left as they are.'),
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    },
    async ({ folder }, call) => {
      const { principal, signal } = call;
      // Check that notes can be written before the person is sent to sign in.
      const target = await files(call);
      const connected = await call.step('look', async () => {
        const token = await vault.token(principal, provider).catch(whileAway);
        return token instanceof Error ? token.message : token !== undefined;
      });
      if (typeof connected === 'string') return notAllowed(connected);
      if (!connected) {
        const old = tooOld(importing.sdk ?? sdkVersion());
        if (old) return reply(`${old} Nothing was imported: nobody can sign in.`, { outcome: 'unsupported' });
        const answer = await call.elicitUrl({
          message: `Connect ${name}, so that your notes can be copied from there.`,
          page: oauth(provider),
          channels: ['native', 'page'],
        });
        if (answer.action !== 'accept') {
          return reply(`Nothing was imported: ${whyNot(answer)}`, { outcome: notDone(answer) });
        }
      }
      const done = await call.step(
        'import',
        async (): Promise<Imported> => {
          const token = await vault.token(principal, provider).catch(unlessAllowed);
          if (token instanceof Error) return { outcome: 'not-allowed', why: token.message };
          if (!token) return { outcome: 'signed-out' };
          const fetched = await fetchNotes(address, token.value, { signal, fetch: web });
          if (fetched.outcome === 'fetched') return write(target, folder, fetched.notes);
          await vault.forget(principal, provider);
          return fetched;
        },
        // Writing a note again that exists already changes nothing.
        { effect: true, idempotent: true },
      );
      if (done.outcome === 'signed-out') {
        return reply(
          `${name} no longer accepts the sign-in, or it does not allow reading notes. Call again to sign in.`,
          {
            outcome: 'signed-out',
          },
        );
      }
      if (done.outcome === 'not-allowed') return notAllowed(done.why);
      const { created, unchanged, kept } = done;
      const rest = [
        unchanged > 0 && `${count(unchanged)} already here`,
        kept > 0 && `${count(kept)} changed here and left alone`,
      ].filter(part => part !== false);
      const text = `Imported ${count(created)} from ${name} into ${oneLine(folder)}${rest.map(part => `; ${part}`).join('')}.`;
      return reply(text, { ...done });
    },
  );

  mid.tool(
    server,
    'notes_disconnect',
    {
      title: `Disconnect from ${name}`,
      description: `Forgets the person’s sign-in at ${name} and ends it there. Imported notes stay.`,
      inputSchema: z.strictObject({}),
      outputSchema: z.object({ outcome: z.enum(['nothing', 'revoked', 'removed']) }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    },
    async (_, call) => {
      const forget = () => vault.forget(call.principal, provider);
      const outcome = await call.step('forget', forget, { effect: true, idempotent: true });
      const outcomeTexts = {
        nothing: `Nobody was signed in at ${name}.`,
        revoked: `Signed out of ${name}: the sign-in is forgotten here and ended there.`,
        removed: `The sign-in is forgotten here. ${name} was not told; the person can remove the permission in their account there.`,
      };
      return reply(outcomeTexts[outcome], { outcome });
    },
  );
}

/** Scopes that the person did not grant are reported, and not requested again at every call. */
const notAllowed = (why: string) =>
  reply(`Nothing was imported: ${why} notes_disconnect does that, and the next import asks anew.`, {
    outcome: 'not-allowed',
  });

function unlessAllowed(error: unknown): MidcallError {
  if (isMidcallError(error, 'connect/scopes')) return error;
  throw error;
}

/** If a provider cannot be reached, the sign-in is not ended: the import itself will say what is wrong. */
function whileAway(error: unknown): true | MidcallError {
  return isMidcallError(error, 'connect/provider') ? true : unlessAllowed(error);
}

/** Writes the notes that do not exist yet. */
async function write(files: Files, folder: string, notes: readonly RemoteNote[]): Promise<Imported> {
  let [created, unchanged, kept] = [0, 0, 0];
  for (const { id, title, text } of notes) {
    const path = `${folder.replace(/(?<!\/)\/+$/u, '')}/${fileName(title)} (${id}).md`;
    const body = /^#\s/u.test(text) ? text : `# ${oneLine(title)}\n\n${text}`;
    try {
      await files.create(path, body);
      created += 1;
    } catch (error) {
      if (!isMidcallError(error, 'roots/exists')) throw error;
      if ((await files.readText(path)) === body) unchanged += 1;
      else kept += 1;
    }
  }
  return { outcome: 'imported', created, unchanged, kept };
}

/** A title as part of a file name: no separators, nothing invisible, no leading dot. */
const fileName = (title: string): string =>
  oneLine(title, 60)
    .replace(/[/\\:*?"<>|…]/gu, ' ')
    .replace(/\s+/gu, ' ')
    .replace(/^[. ]+|(?<![. ])[. ]+$/gu, '') || 'note';
