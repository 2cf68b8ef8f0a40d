/**
 * The file that says who may call a bridge over HTTP: the operator's own bearer tokens, each with the name of its holder, or
 * the authorization server whose tokens are accepted. No error contains any part of a secret.
 */
import { readFile, stat } from 'node:fs/promises';
import { MidcallError } from '@midcall/core/errors';
import { visible } from '@midcall/core/text';
import type { InboxServiceOptions } from '@midcall/inbox';
import { z } from 'zod';
import { type CallerGuard, issuerGuard, tokenGuard } from './callers.ts';

/** Minimum length of a token, in characters; shorter ones can be guessed. */
const leastToken = 32;

const tokensShape = z.strictObject({
  tokens: z
    .array(
      z.strictObject({
        token: z.string().regex(/^[\w~+/.=-]+$/),
        principal: z.string().min(1).max(200),
        desk: z.boolean().default(false),
      }),
    )
    .min(1),
});

const issuerShape = z.strictObject({
  issuer: z.url(),
  clientId: z.string(),
  clientSecret: z.string().optional(),
  scopes: z.array(z.string()).default([]),
  redirect: z.url().optional(),
  enrolment: z.enum(['signed-in', 'invited']).optional(),
  groups: z
    .strictObject({
      names: z.record(z.string().min(1), z.array(z.string().min(1)).min(1)).optional(),
      claim: z.string().min(1).optional(),
    })
    .optional(),
});

/** Makes the guard of an endpoint. @param resource - the endpoint's address, as clients name it */
export type MakeGuard = (resource: URL) => CallerGuard;

/**
 * Reads the file.
 * @returns `guard`: makes the guard of an endpoint; `needsAddress`: true if the guard has to know the address that clients use;
 *   `signIn`: where people sign in to their inboxes, where they are sent back to, and who is in which group, if the file names an
 *   issuer
 * @throws MidcallError `cli/usage`, naming the file and the member, if it cannot be read or used
 */
export async function readAuthFile(path: string): Promise<{
  readonly guard: MakeGuard;
  readonly needsAddress: boolean;
  readonly signIn?: Pick<InboxServiceOptions, 'issuer' | 'redirect' | 'groups' | 'enrolment'>;
}> {
  const bad = (text: string): MidcallError =>
    new MidcallError('cli/usage', `--auth ${visible(path, { max: 300 })}: ${text}`);
  const value = await readSecretJson(path, bad);
  if (typeof value === 'object' && value !== null && 'issuer' in value) {
    const { issuer, clientId, clientSecret, scopes, redirect, groups, enrolment } = parsed(issuerShape, value, bad);
    const { bearer, provider } = await import('@midcall/server/connect');
    const server = provider({ id: 'issuer', issuer, clientId, ...(clientSecret !== undefined && { clientSecret }) });
    return {
      needsAddress: true,
      guard: resource => issuerGuard(bearer(server, { resource, scopes })),
      signIn: {
        issuer: server,
        redirect: redirect === undefined ? undefined : new URL(redirect),
        groups: groups as InboxServiceOptions['groups'],
        enrolment,
      },
    };
  }
  const { tokens } = parsed(tokensShape, value, bad);
  const short = tokens.findIndex(({ token }) => token.length < leastToken);
  if (short >= 0)
    throw bad(
      `the token of '${visible(tokens[short]!.principal, { max: 200 })}' has fewer than ${leastToken} characters. ` +
        'Make one with: openssl rand -hex 32',
    );
  if (new Set(tokens.map(({ token }) => token)).size < tokens.length) throw bad('two entries have the same token.');
  const divided = tokens.find(one =>
    tokens.some(other => other.principal === one.principal && other.desk !== one.desk),
  );
  if (divided)
    throw bad(
      `'${visible(divided.principal, { max: 200 })}' has "desk": true in one entry and not in another. A principal either has ` +
        'the desk, or has not: write it in both entries, or use two names.',
    );
  const guard = tokenGuard(tokens);
  return { needsAddress: false, guard: () => guard };
}

async function readSecretJson(path: string, bad: (text: string) => MidcallError): Promise<unknown> {
  let text: string;
  let mode: number;
  try {
    ({ mode } = await stat(path));
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw bad(code === 'ENOENT' ? 'there is no such file.' : 'the file cannot be read.');
  }
  if (process.platform !== 'win32' && (mode & 0o027) !== 0)
    throw bad('others may open the file, or its group may change it. Run chmod 600 on it.');
  try {
    return JSON.parse(text);
  } catch {
    throw bad('the file is not JSON.');
  }
}

function parsed<S extends z.ZodType>(shape: S, value: unknown, bad: (text: string) => MidcallError): z.infer<S> {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  // The place and the rule, never the value, since it may be a secret.
  const { path, code } = result.error.issues[0]!;
  const place = path.length > 0 ? `'${path.join('.')}' is wrong (${code})` : `it is wrong (${code})`;
  throw bad(
    `${place}. Write { "tokens": [{ "token": "…", "principal": "ada" }] }, or { "issuer": "https://…", "clientId": "…" }.`,
  );
}
