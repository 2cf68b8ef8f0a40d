/** How each kind of waiting call is read, and ended. */
import { dropTicket, lookAtTicket } from '../eras/index.ts';
import type { WaitingKinds } from '../observe/index.ts';
import type { Config } from '../request/index.ts';
import type { Tasks } from './tasks.ts';

export const waitingKinds = (tasks: Tasks, config: Config): WaitingKinds => ({
  task: { find: key => tasks.waitingAt(key), cancel: key => tasks.endAt(key) },
  ticket: { look: ticket => lookAtTicket(ticket, config), cancel: ticket => dropTicket(ticket, config) },
  page: {
    // If this process has no pages, only their expiry is known.
    look: async id => ((await config.pages?.outcome(id, 0)) === undefined ? 'page' : undefined),
    cancel: async id => (await config.pages?.withdraw(id, true)) ?? false,
  },
});
