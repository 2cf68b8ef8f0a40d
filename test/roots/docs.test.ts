/** What docs/roots.md shows, run. */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boundary, type Root } from '@midcall/server/roots';
import { expect, it } from 'vitest';

it.runIf(process.platform === 'linux')('a boundary works as documented', async () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'midcall-docs-')));
  const clientRoots: readonly Root[] | undefined = undefined;
  // #region files
  const notes = boundary({ ceiling: [directory], requireStrong: true });
  await using files = await notes.files(clientRoots); // undefined where the client has no roots
  await files.write('inbox/today.md', '# Today\n');
  const listed = await files.list('inbox');
  // #endregion
  expect(listed).toEqual([{ name: 'today.md', path: join(directory, 'inbox/today.md'), kind: 'file' }]);
  expect(readFileSync(join(directory, 'inbox/today.md'), 'utf8')).toBe('# Today\n');
  rmSync(directory, { recursive: true });
});
