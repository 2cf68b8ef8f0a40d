/** Questions that several people answer, or that need a passkey, as pages show them; and a person's passkeys without any browser. */
import { randomUUID } from 'node:crypto';
import type { CallQuestion, FormQuestion } from '@midcall/host';
import type { ApprovalView, PersonPasskeys, ShownPasskey } from '@midcall/host/web';

const now = Date.now();

/** Agreement to a payment. @param more - `fields: []` for one without fields */
export const payment = (more: Partial<FormQuestion> = {}): FormQuestion => ({
  id: randomUUID(),
  kind: 'form',
  message: 'Pay 4,000 € to Acme Ltd for invoice 2231?',
  fields: [],
  asker: { id: 'payments', name: 'payments', origin: '', era: '2026-07-28' },
  call: {
    id: 'the-call',
    kind: 'tool',
    name: 'pay_invoice',
    arguments: { invoice: '2231', iban: 'DE89 3704 0044 0532 0130 00', amount: 4000, currency: 'EUR' },
  },
  askedAt: now - 240_000,
  openUntil: now + 7_200_000,
  ...more,
});

/** A payment that rules of a bridge ask about, before it is made. */
export function paymentByRule(): CallQuestion {
  const { message: _, fields: __, ...asked } = payment();
  return { ...asked, kind: 'call', call: asked.call!, why: 'rule 1 says ask', labels: { iban: 'Account' } };
}

/** Two of finance, besides the requester. */
export const view = (more: Partial<ApprovalView> = {}): ApprovalView => ({
  group: 'finance',
  count: 2,
  requester: 'Cleo Park',
  assurance: 'verified',
  votes: [],
  dueAt: now + 7_200_000,
  digest: 'the-digest',
  ...more,
});

/** What somebody else has said. */
export const vote = (name: string, action: 'accept' | 'decline' = 'accept', isOwn = false) =>
  ({ name, action, assurance: 'verified', at: now - 120_000, isOwn }) as const;

/** Passkeys that confirm what is posted as `good`, for the act that it names. */
export interface ScriptedPasskeys extends PersonPasskeys {
  readonly list_: ShownPasskey[];
  /** What was asked of it. */
  readonly asked: unknown[];
}

export function scriptedPasskeys(change: Partial<PersonPasskeys> = {}): ScriptedPasskeys {
  const list_: ShownPasskey[] = [];
  const asked: unknown[] = [];
  const request = { does: 'get', options: { challenge: 'AA' }, token: 'the-token' } as const;
  const judge = (posted: string | undefined) => (posted === 'good' ? { credential: 'k1' } : ('refused' as const));
  return {
    ...{ list_, asked, isPossible: true, isFresh: true, needsInvitation: false, origin: 'https://inbox.example' },
    signInPath: question => `/inbox/sign-in?passkeys${question === undefined ? '' : `&question=${question}`}`,
    list: async () => list_,
    async requestAnswer(shown, reply) {
      asked.push([shown.question.id, reply]);
      return list_.length === 0 ? 'none' : request;
    },
    async proveAnswer(shown, reply, posted) {
      asked.push([shown.question.id, reply, posted]);
      return posted === 'late' ? 'late' : judge(posted);
    },
    async requestNew(by) {
      asked.push(by);
      return by.invitation === 'forged' ? 'not-invited' : { ...request, does: 'create' };
    },
    async add(name, posted) {
      if (posted !== 'good') return 'refused';
      list_.push({ id: `k${list_.length + 1}`, name, addedAt: Date.now() });
      return 'added';
    },
    requestRevoke: async id => (id === 'other' ? 'none' : undefined),
    async revoke(id, posted) {
      asked.push([id, posted]);
      const at = list_.findIndex(each => each.id === id);
      if (at < 0) return 'sign-in';
      list_.splice(at, 1);
      return 'revoked';
    },
    ...change,
  };
}
