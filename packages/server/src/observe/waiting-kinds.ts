/** How each kind of waiting call is read, and ended. */
import type { Config } from '../config.ts';
import { dropTicket, lookAtTicket } from '../resume/ticket.ts';
import type { Tasks } from '../tasks/tasks.ts';
import type { WaitingKinds } from './waiting-calls.ts';

export const waitingKinds = (tasks: Tasks, config: Config): WaitingKinds => ({
  task: { find: key => tasks.waitingAt(key), cancel: key => tasks.endAt(key) },
  ticket: { look: ticket => lookAtTicket(ticket, config), cancel: ticket => dropTicket(ticket, config) },
  page: {
    // If this process has no pages, only their expiry is known.
    look: async id => ((await config.pages?.outcome(id, 0)) === undefined ? 'page' : undefined),
    cancel: async id => (await config.pages?.withdraw(id, true)) ?? false,
  },
});
