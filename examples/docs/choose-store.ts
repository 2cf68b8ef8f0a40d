/** Which store, in one line each. */
import { memoryStore } from '@midcall/server/stores/memory';
import { redisStore } from '@midcall/server/stores/redis';
import { sqliteStore } from '@midcall/server/stores/sqlite';

/** A Redis client as ioredis has it, and as node-redis has it. */
export interface Clients {
  readonly ioredis: { call(...args: string[]): Promise<unknown> };
  readonly nodeRedis: { sendCommand(args: string[]): Promise<unknown> };
}

export async function stores({ ioredis, nodeRedis }: Clients, path: string) {
  // #region choose
  const oneProcess = memoryStore();
  const oneMachine = await sqliteStore(path);
  const manyMachines = redisStore({ send: ([command = '', ...args]) => ioredis.call(command, ...args) });
  const withNodeRedis = redisStore({ send: args => nodeRedis.sendCommand([...args]) });
  // #endregion
  return { oneProcess, oneMachine, manyMachines, withNodeRedis };
}
