/**
 * Web Push: wakes a device of a person.
 *
 * - push-W1 What is sent says that a question waits, and nothing of it: no server, no id, no name. It is encrypted for the device.
 */
import { fromJson, own } from '@midcall/core/json';
import type { PushKeys, Subscription } from '../store/index.ts';
import type { Posted, Poster } from './guarded-post.ts';

/** What the device shows. */
export interface PushText {
  readonly title: string;
  readonly body: string;
}

/** Why no device can be told: browsers subscribe to nothing else. */
export const noPushAddress = 'The inbox has no address that begins with https://.';

/** How long a push service keeps it for a device that is off, as at night. */
const keptSeconds = 24 * 60 * 60;

const bytesOf = (text: string): number => Buffer.from(text, 'base64url').length;

/**
 * Reads what a browser says of its subscription.
 * @param text - JSON, as `PushSubscription.toJSON()` makes it
 * @returns undefined if it is none
 */
export function readSubscription(text: string, name: string): Subscription | undefined {
  const said = fromJson(text);
  const [endpoint, keys] = [own(said, 'endpoint'), own(said, 'keys')];
  const [p256dh, auth] = [own(keys, 'p256dh'), own(keys, 'auth')];
  if (typeof endpoint !== 'string' || typeof p256dh !== 'string' || typeof auth !== 'string') return undefined;
  if (bytesOf(p256dh) !== 65 || bytesOf(auth) !== 16) return undefined;
  return { endpoint, keys: { p256dh, auth }, name };
}

/**
 * Sends one.
 * @param contact - whom the push service may write to: an address that begins with `https:` or `mailto:`
 * @param patienceMs - how long it is waited for; as long as any if absent
 * @returns `gone` if the device will never be reached again
 */
export async function push(
  poster: Poster,
  { endpoint, keys }: Subscription,
  { publicKey, privateKey, contact }: PushKeys & { readonly contact: string },
  text: PushText,
  patienceMs?: number,
): Promise<'sent' | 'gone' | { readonly why: string }> {
  const why = poster.whyNot(endpoint);
  if (why !== undefined) return { why };
  const { default: webPush } = await import('web-push');
  let message: { headers: Record<string, string | number>; body: Uint8Array };
  try {
    const { headers, body } = webPush.generateRequestDetails({ endpoint, keys }, JSON.stringify(text), {
      vapidDetails: { subject: contact, publicKey, privateKey },
      TTL: keptSeconds,
      urgency: 'high',
      // A newer one replaces one that has not been delivered.
      topic: 'question',
    });
    message = { headers: headers as Record<string, string | number>, body: body! };
  } catch {
    return { why: 'Its keys are not usable.' };
  }
  const posted = await poster.post(new URL(endpoint), message, 'person', patienceMs);
  if ('why' in posted) return posted;
  if (posted.status === 404 || posted.status === 410) return 'gone';
  return judged(posted);
}

/** Anything but a success is a failure: redirects are not followed. */
export const judged = ({ status }: Extract<Posted, { status: number }>): 'sent' | { readonly why: string } =>
  status >= 200 && status < 300 ? 'sent' : { why: `It answered ${status}.` };
