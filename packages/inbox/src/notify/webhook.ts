/**
 * The webhook of the operator: tells another program that a question waits for somebody, and where, as Standard Webhooks says.
 *
 * - webhook-H1 It says whom and where, and nothing of what is asked. The page behind the link needs the person's session.
 */
import { MidcallError } from '@midcall/core/errors';
import { Webhook } from 'standardwebhooks';
import type { Poster } from './guarded-post.ts';
import { judged } from './push.ts';

/** Where the operator wants to be told. */
export interface WebhookOptions {
  /** May be an address of this machine or its network. */
  readonly url: string | URL;
  /** What its messages are signed with: `whsec_`, and 24 to 64 bytes in base64. */
  readonly secret: string;
}

/** What it says. */
export interface WebhookMessage {
  readonly type: 'question.waiting';
  /** The principal who is asked. */
  readonly person: string;
  /** Where they answer, once they have signed in. */
  readonly link: string;
  /** Now, as in ISO 8601. */
  readonly at: string;
}

/** Tells the webhook. @param id - the same whenever the same is told */
export type TellWebhook = (id: string, message: WebhookMessage) => Promise<'sent' | { readonly why: string }>;

/** @throws MidcallError `server/setup` for an address or a secret that is none; it repeats neither */
export function webhook({ url, secret }: WebhookOptions, poster: Poster): TellWebhook {
  const to = URL.canParse(url) ? new URL(url) : undefined;
  if (!to || !/^https?:$/.test(to.protocol))
    throw new MidcallError('server/setup', 'The address of the webhook must begin with https:// or http://.');
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1];
  const bytes = encoded === undefined ? 0 : Buffer.from(encoded, 'base64').length;
  if (bytes < 24 || bytes > 64)
    throw new MidcallError(
      'server/setup',
      'The secret of the webhook must be whsec_ and 24 to 64 bytes in base64. Make one with: echo "whsec_$(openssl rand -base64 32)"',
    );
  const signer = new Webhook(secret);
  return async (id, message) => {
    const body = JSON.stringify(message);
    const at = new Date(message.at);
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': signer.sign(id, at, body),
    };
    const posted = await poster.post(to, { headers, body }, 'operator');
    return 'why' in posted ? posted : judged(posted);
  };
}
