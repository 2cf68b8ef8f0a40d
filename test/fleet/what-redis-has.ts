/** What a fleet has in its Redis, for whoever wonders what a call waits for. */
import type { Redis } from 'ioredis';
import type { RedisServer } from '../stores/redis-server.ts';

const PREFIX = 'midcall:fleet:';
const JOBS = '{midcall:jobs}:tasks:';

/** @returns the live replicas, the calls that are not over, the jobs, and each connection with its last command */
export async function whatRedisHas(redis: RedisServer): Promise<string> {
  const client = redis.connect();
  try {
    const lines = [...(await replicas(client)), ...(await calls(client)), ...(await jobs(client))];
    const connections = String(await client.call('CLIENT', 'LIST'))
      .trim()
      .split('\n')
      .map(line =>
        line
          .split(' ')
          .filter(part => /^(id|age|idle|flags|qbuf|omem|cmd)=/.test(part))
          .join(' '),
      );
    return [...lines, 'connections:', ...connections].join('\n  ');
  } catch (error) {
    return `Redis does not say what it has: ${(error as Error).message}`;
  } finally {
    client.disconnect();
  }
}

async function keysLike(client: Redis, pattern: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for (let cursor = '0'; ; ) {
    const [next, found] = await client.scan(cursor, 'MATCH', pattern, 'COUNT', 1_000);
    keys.push(...found);
    cursor = next;
    if (cursor === '0') return keys.sort();
  }
}

async function replicas(client: Redis): Promise<readonly string[]> {
  const lines = ['replicas that count as alive:'];
  for (const key of await keysLike(client, `${PREFIX}alive:*`))
    lines.push(`${key.slice(PREFIX.length)} for ${await client.pttl(key)} ms`);
  for (const key of await keysLike(client, `${PREFIX}inbox:*`))
    lines.push(`${key.slice(PREFIX.length)} has ${await client.llen(key)}`);
  return lines;
}

async function calls(client: Redis): Promise<readonly string[]> {
  const lines = ['calls of sessions that are not over:'];
  for (const key of await keysLike(client, `${PREFIX}*:call:*`)) {
    const { h, e, d, l, x, ...fields } = await client.hgetall(key);
    if (d !== undefined) continue;
    const events = key.replace(':call:', ':events:');
    const [last] = await client.xrevrange(events, '+', '-', 'COUNT', 1);
    const names = Object.keys(fields).map(name => (name.includes(':') ? name.slice(0, name.indexOf(':') + 7) : name));
    lines.push(
      `${key.slice(PREFIX.length)}: holder '${h}', claim ${e}, listener '${l ?? ''}'${x ? ', withdrawn' : ''}, ` +
        `last event ${last?.[0] ?? 'none'}, fields ${names.join(' ')}`,
    );
  }
  return lines;
}

async function jobs(client: Redis): Promise<readonly string[]> {
  const lines = ['jobs:'];
  for (const list of ['wait', 'active', 'paused'])
    lines.push(`${list}: ${(await client.lrange(`${JOBS}${list}`, 0, 50)).join(' ')}`);
  for (const set of ['delayed', 'prioritized', 'failed', 'completed'])
    lines.push(`${set}: ${(await client.zrange(`${JOBS}${set}`, '0', '50', 'WITHSCORES')).join(' ')}`);
  lines.push(`stalled: ${(await client.smembers(`${JOBS}stalled`)).join(' ')}`);
  for (const key of await keysLike(client, `${JOBS}*:lock`)) lines.push(`${key} for ${await client.pttl(key)} ms`);
  return lines;
}
