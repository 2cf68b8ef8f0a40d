/**
 * Signing in with a code that is typed on another device (RFC 8628): for machines without a browser. The authorization server
 * is polled until the person has agreed there.
 */
import { MidcallError } from '@midcall/core/errors';
import { isRecord, own } from '@midcall/core/json';
import { pause } from '@midcall/core/time';
import { OAuthError, type OAuthTokens } from '@modelcontextprotocol/client';
import { judgeEndpoint, printable } from './discovery.ts';
import { deviceGrantType, register, registeredClient } from './registration.ts';
import { notSignedIn, type SignInParts } from './sign-in.ts';
import { authenticatedRequest, fetchTokens, oauthCode, tokenProblem } from './token-requests.ts';
import type { RegisteredClient } from './vault.ts';

/** How long the authorization server may make us wait before we ask again, and how long a code may last; milliseconds. */
const [leastInterval, mostInterval, mostLife] = [1_000, 5 * 60_000, 24 * 3_600_000];

/** What the authorization server answers first (RFC 8628, 3.2). */
interface DeviceCode {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly page: string;
  readonly endsAt: number;
  readonly intervalMs: number;
}

/** @throws MidcallError `host/unauthorized` if nobody is signed in then */
export async function signInByDevice(parts: SignInParts): Promise<void> {
  const { discovered, scope, ask } = parts;
  const { issuer } = discovered;
  const client = await clientOf(parts);
  const device = await deviceCode(client, parts);
  const over = new AbortController();
  const calledOff = new AbortController();
  const tokens = polled(device, client, parts, calledOff.signal);
  tokens.catch(() => {});
  try {
    const request = {
      issuer,
      url: device.page,
      scopes: scope?.split(' ') ?? [],
      code: device.userCode,
      more: parts.more,
      openUntil: device.endsAt,
    };
    const first = await Promise.race([tokens, ask(request, over.signal)]);
    if ('how' in first) {
      if (first.how === 'completed') return;
      throw notSignedIn(issuer, first as Parameters<typeof notSignedIn>[1]);
    }
    await parts.keepTokens(client, first as OAuthTokens);
    over.abort({ how: 'completed' });
  } finally {
    calledOff.abort();
    over.abort({ how: 'withdrawn' });
  }
}

async function clientOf(parts: SignInParts): Promise<RegisteredClient> {
  const { discovered, auth, name, scope, fetch, clock, keepClient } = parts;
  const stored = registeredClient(discovered, auth, parts.client, clock.now(), scope);
  if (stored) return stored;
  const client = await register({ discovered, auth, name, fetch, now: clock.now() });
  await keepClient(client);
  return client;
}

async function deviceCode(client: RegisteredClient, parts: SignInParts): Promise<DeviceCode> {
  const { discovered, scope, serverUrl, fetch, clock } = parts;
  const where = printable(discovered.issuer);
  const endpoint = own(discovered.metadata, 'device_authorization_endpoint');
  if (typeof endpoint !== 'string')
    throw new MidcallError(
      'host/unauthorized',
      `The authorization server ${where} has no sign-in by device code. Leave 'flow' out of 'auth' to sign in in a browser on this machine.`,
    );
  let answer: unknown;
  try {
    const response = await fetch(
      endpoint,
      authenticatedRequest(discovered, client, { scope, resource: discovered.resource }),
    );
    answer = await response.json();
    const error = isRecord(answer) ? answer['error'] : undefined;
    if (typeof error === 'string')
      throw new OAuthError(error, isRecord(answer) ? String(answer['error_description'] ?? '') : '');
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
  } catch (error) {
    throw tokenProblem(`The sign-in at ${where}`, error, [client.information.client_secret ?? '']);
  }
  const read = readDeviceCode(answer, clock.now());
  if (!read) throw tokenProblem(`The sign-in at ${where}`, new Error('malformed'));
  judgeEndpoint('The page for the code', read.page, serverUrl);
  return read;
}

function readDeviceCode(answer: unknown, now: number): DeviceCode | undefined {
  if (!isRecord(answer)) return undefined;
  const { device_code: deviceCode, user_code: userCode, verification_uri: page } = answer;
  const { verification_uri_complete: complete, expires_in: seconds, interval = 5 } = answer;
  if (typeof deviceCode !== 'string' || typeof userCode !== 'string' || userCode.length > 100) return undefined;
  if (typeof page !== 'string' || typeof seconds !== 'number' || typeof interval !== 'number') return undefined;
  return {
    deviceCode,
    userCode,
    page: typeof complete === 'string' ? complete : page,
    endsAt: now + Math.min(seconds * 1_000, mostLife),
    intervalMs: Math.max(leastInterval, Math.min(interval * 1_000, mostInterval)),
  };
}

/** Asks until there are tokens, or the code has ended (RFC 8628, 3.4 and 3.5). */
async function polled(
  device: DeviceCode,
  { information }: RegisteredClient,
  { discovered, fetch, clock }: SignInParts,
  calledOff: AbortSignal,
): Promise<OAuthTokens> {
  const where = printable(discovered.issuer);
  let { intervalMs } = device;
  for (;;) {
    await pause(intervalMs, clock, calledOff);
    if (calledOff.aborted) throw new MidcallError('host/unauthorized', 'The sign-in was cancelled.');
    if (clock.now() >= device.endsAt)
      throw new MidcallError('host/unauthorized', `The code for the sign-in at ${where} has expired. Try again.`);
    try {
      const form = { grant_type: deviceGrantType, device_code: device.deviceCode };
      return await fetchTokens(discovered, information, form, fetch);
    } catch (error) {
      const code = oauthCode(error);
      if (code === 'slow_down') intervalMs = Math.min(intervalMs + 5_000, mostInterval);
      // A network that fails once is asked again, as RFC 8628 wants.
      else if (code !== 'authorization_pending' && !(error instanceof TypeError))
        throw tokenProblem(`The sign-in at ${where}`, error, [device.deviceCode]);
    }
  }
}
