/** How each kind of waiting call is read, and ended. */
import { dropTicket, lookAtTicket } from '../eras/index.ts';
import type { WaitingKinds } from '../observe/index.ts';
import { channels } from '../questions/index.ts';
import type { Config } from '../request/index.ts';
import type { Tasks } from './tasks.ts';

export const waitingKinds = (tasks: Tasks, config: Config): WaitingKinds => ({
  task: { find: key => tasks.waitingAt(key), cancel: key => tasks.endAt(key) },
  ticket: { look: ticket => lookAtTicket(ticket, config), cancel: ticket => dropTicket(ticket, config) },
  ...Object.fromEntries(
    channels.flatMap(({ name, waiting }) => {
      if (!waiting) return [];
      const look = async (ref: string) => ((await waiting.look(ref, config)) ? name : undefined);
      return [[name, { look, cancel: (ref: string) => waiting.cancel(ref, config) }]];
    }),
  ),
});
