/** A receiver of the webhook of inboxes, which passes the link on. */
// #region receive
import { Webhook } from 'standardwebhooks';

interface Waiting {
  readonly type: 'question.waiting';
  readonly person: string;
  readonly link: string;
}

/** @throws WebhookVerificationError if it does not come from your inboxes, or is older than five minutes */
export async function receive(request: Request, secret: string): Promise<string> {
  const body = await request.text();
  const waiting = new Webhook(secret).verify(body, Object.fromEntries(request.headers)) as Waiting;
  return `A question is waiting for ${waiting.person}: ${waiting.link}`;
}
// #endregion receive
