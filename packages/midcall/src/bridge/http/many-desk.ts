/** One desk for all upstream servers of one person. Each is added when it first has a question. */
import type { Connection, Question, ServerEntry } from '@midcall/host';
import type { RunningDesk } from '@midcall/host/web';
import { LazyDesk, type LazyDeskOptions } from '../desk/index.ts';
import type { PrincipalDesk } from './principals.ts';

/** How the desk is started and shown. */
export interface ManyDeskOptions extends Omit<LazyDeskOptions, 'start'> {
  /** Starts the desk. @param find - the connection to a server that is running already */
  readonly start: (find: (entry: ServerEntry) => Connection | undefined) => Promise<RunningDesk>;
}

/** A desk for several servers. */
export function manyDesk({ start, ...options }: ManyDeskOptions): PrincipalDesk {
  const connections = new Map<string, Connection>();
  let running: RunningDesk | undefined;
  /** What is on the desk, by id. */
  const listed = new Map<string, Connection>();
  const list = async (desk: RunningDesk): Promise<void> => {
    for (const [id, connection] of connections) {
      if (listed.get(id) === connection) continue;
      const replaced = listed.has(id);
      listed.set(id, connection);
      if (replaced) await desk.removeServer(id);
      await desk.addServer(connection.entry);
    }
  };
  const lazy = new LazyDesk({
    ...options,
    async start() {
      running = await start(({ id }) => connections.get(id));
      await list(running);
      return running;
    },
  });
  return {
    async show(question: Question, connection: Connection) {
      connections.set(connection.entry.id, connection);
      if (running) await list(running);
      return lazy.show(question);
    },
    close: () => lazy.close(),
  };
}
