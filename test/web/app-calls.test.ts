/** What an App may call of its server, as the desk decides it. */
import type { Catalogue } from '@midcall/host';
import { expect, it } from 'vitest';
import { AppDocuments } from '../../packages/host/src/web/apps/index.ts';

const forApps = { name: 'answer', _meta: { ui: { visibility: ['app'] } } };
const [none, some] = [[], [forApps]].map(tools => ({ tools }) as unknown as Catalogue) as [Catalogue, Catalogue];

it.each([
  ['could not be read', () => Promise.reject(new Error('The server is starting.'))],
  ['was empty', () => Promise.resolve(none)],
])('apps-A4: an App calls its tool though the list of tools %s when it called first', async (_, atFirst) => {
  const lists = [atFirst];
  const apps = new AppDocuments(() => ({
    forward: async () => ({ result: { content: [] } }),
    catalogue: () => (lists.shift() ?? (() => Promise.resolve(some)))(),
  }));
  apps.ofResult('c1', 'notes', 'ui://notes/card');
  const call = () => apps.call('c1', { name: 'answer', arguments: {} }, new AbortController().signal);
  expect(await call()).toMatchObject({ error: { code: -32602 } });
  expect(await call()).toEqual({ result: { content: [] } });
});
