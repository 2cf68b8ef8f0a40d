/**
 * Notes from a web service: fetched with the person's access token, and treated as text that anybody may have written. Errors
 * say what happened, without the token or any part of the response.
 */

import { MidcallError } from '@midcall/core/errors';
import { z } from 'zod';
import { maxNoteBytes } from './notebook.ts';

/** One note as the service has it. */
export interface RemoteNote {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** The result of fetching. */
export type Fetched =
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
 * Fetches every note.
 * @param address - of the service's list of notes, `{ notes: [{ id, title, text }] }`
 * @throws MidcallError `connect/provider` if there is no usable response
 */
export async function fetchNotes(
  address: URL,
  token: string,
  options: { readonly signal: AbortSignal; readonly fetch: typeof fetch },
): Promise<Fetched> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(timeoutMs)]);
  try {
    // A redirect would send the token to an unintended place.
    const init = {
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
      redirect: 'error',
    } as const;
    const response = await options.fetch(address, { ...init, signal });
    if (response.status === 401) return { outcome: 'signed-out' };
    if (!response.ok) throw broken(`The service answered with HTTP status ${response.status}.`);
    const read = answerShape.safeParse(JSON.parse(await bounded(response)));
    if (!read.success) throw broken('The service returned something other than a list of notes, or too many notes.');
    return { outcome: 'fetched', notes: read.data.notes };
  } catch (error) {
    if (error instanceof MidcallError) throw error;
    if (error instanceof SyntaxError)
      throw broken('The service returned something other than a list of notes, or too many notes.');
    throw broken('The service cannot be reached, or did not answer in time.');
  }
}

async function bounded(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > maxAnswer) throw broken('The service’s answer is too large.');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
