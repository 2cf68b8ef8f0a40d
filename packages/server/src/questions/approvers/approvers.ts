/**
 * Approvers: the question in an inbox, for others than the requester, or for the requester with a passkey. The call waits apart
 * from its client: as a task if that has tasks, otherwise with a ticket. How it is put is loaded with the first one.
 *
 * - approvers-P1 The id of a question follows from its call and its place in it, so a run that begins again after a crash asks the
 *   same question, and approvers are asked once.
 * - approvers-P2 Only an outcome that the inbox has written is an answer: while the inbox cannot be read, the call goes on waiting.
 * - approvers-P3 Nothing is asked if the answer can never come, or if the inbox cannot tell whether it can: the ask fails. That is
 *   recorded, so that every replay takes the same way.
 */
import { MidcallError } from '@midcall/core/errors';
import type { ApprovalInbox } from '../../request/index.ts';
import type { AskChannel } from '../channel.ts';

const name = 'approvers';
const noInbox = "the server has no inbox: give midcall() inbox: await openInbox(…) of '@midcall/inbox'";

const notHere =
  'This question waits in an inbox that is not known here, so it was not ended. End the ticket or the task of its call, or call ' +
  'mid.cancel in a server that has the inbox.';

export const approvers: AskChannel = {
  name,
  byDefault: true,
  onWhereNamed: true,
  inInbox: true,
  tickets: 'any-client',
  showsDetails: true,
  noPages: "an inbox shows no page of the server's own",
  because: {
    declined: 'those who were asked did not agree. Do not try again unless the person asks for it.',
    'not-confirmed':
      'those who were asked answered without confirming. Do not try again unless the person asks for it.',
    timeout: 'those who were asked had not agreed in time. Ask the person before trying again.',
    unavailable: 'the question was withdrawn before it was answered. Ask the person before trying again.',
    suspect: 'those who were asked answered without the passkey that the question demands.',
  },
  waiting: {
    // If this process has no inbox, or cannot read it, only the expiry is known.
    look: async (id, { inbox }) => (await look(id, inbox)) !== 'ended',
    async cancel(id, { inbox }) {
      if (!inbox) throw new MidcallError('server/setup', notHere);
      if ((await look(id, inbox)) === 'ended') return false;
      await inbox.withdraw(id);
      return true;
    },
  },
  lacks: ({ inbox }) => (inbox ? undefined : noInbox),
  whyNever({ registered, ask: { from, assurance } }) {
    if (!from && assurance !== 'present')
      return `'${name}' is for questions to others (from: approvers(…)), and for those that demand 'present'`;
    return registered.method === 'tools/call' ? undefined : 'only the call of a tool can wait for an inbox';
  },
  reaches: ({ ask }, call) =>
    (ask.from !== undefined || ask.assurance === 'present') &&
    call.request.registered.method === 'tools/call' &&
    call.approvals !== undefined,
  assurance: () => 'present',
  async put(question, call) {
    // Most servers ask nobody else. No round may leave while this loads.
    const { putToApprovers } = await call.run.guarded(() => import('./put-to-approvers.ts'));
    return putToApprovers(question, call);
  },
  async withdraw(journal, config) {
    // Nothing was asked without one, so nothing is loaded.
    if (config.inbox) await (await import('./put-to-approvers.ts')).withdrawFrom(journal, config);
  },
};

async function look(id: string, inbox: ApprovalInbox | undefined): Promise<'ended' | 'waits'> {
  if (!inbox) return 'waits';
  const standing = await inbox.look(id).catch(() => 'unknown' as const);
  return standing === 'unknown' || (standing && !standing.outcome) ? 'waits' : 'ended';
}
