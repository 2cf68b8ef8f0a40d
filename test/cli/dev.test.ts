/** Which files `midcall dev` starts a server again for. */
import { expect, it } from 'vitest';
import { isSource } from '../../packages/midcall/src/cli/dev.ts';

it('midcall dev starts a server again for its source and for folders, and not for data that it writes beside itself', () => {
  const sources = [
    'server.ts',
    'lib/tools.mjs',
    'a.cjs',
    'a.mts',
    'a.cts',
    'view.tsx',
    'view.jsx',
    'a.js',
    'lib',
    null,
  ];
  const data = ['calls.db', 'calls.db-wal', 'notes.json', 'server.log', 'todo.md', '.env', '.git', 'lib/.swp'];
  expect(sources.filter(isSource)).toEqual(sources);
  expect(data.filter(isSource)).toEqual([]);
});
