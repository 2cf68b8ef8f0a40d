/** How each kind of waiting call is read, and ended. */
import { dropTicket, lookAtTicket } from '../eras/index.ts';
import type { WaitingKinds } from '../observe/index.ts';
import { channels } from '../questions/index.ts';
import type { Config } from '../request/index.ts';
import type { TaskPart } from './task-part.ts';

export const waitingKinds = (part: TaskPart, config: Config): WaitingKinds => ({
  task: {
    find: async key => (await part.tasks()).waitingAt(key),
    cancel: async key => (await part.tasks()).endAt(key),
  },
  ticket: { look: ticket => lookAtTicket(ticket, config), cancel: ticket => dropTicket(ticket, config) },
  ...Object.fromEntries(
    channels.flatMap(({ name, waiting }) => {
      if (!waiting) return [];
      const look = async (ref: string) => ((await waiting.look(ref, config)) ? name : undefined);
      return [[name, { look, cancel: (ref: string) => waiting.cancel(ref, config) }]];
    }),
  ),
});
