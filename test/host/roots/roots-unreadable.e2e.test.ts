/** A folder the person may not read is not offered as a root. Needs `npm run build`. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { unprivilegedNode } from '../../fixtures/unprivileged-node.ts';

const host = new URL('../../../packages/host/bundle/public.js', import.meta.url).href;

it.skipIf(process.platform === 'win32')('roots-30: a directory that cannot be read is refused', () => {
  const shut = mkdtempSync(join(tmpdir(), 'midcall-shut-'));
  chmodSync(shut, 0);
  const script = `
    import { machineDisk, OfferedRoots } from ${JSON.stringify(host)};
    const added = new OfferedRoots({ disk: machineDisk }).add(${JSON.stringify(shut)});
    console.log(await added.then(() => 'added', error => error.code));
    process.exit();`;
  const [command, ...before] = unprivilegedNode();
  const { stdout } = spawnSync(command, [...before, '--input-type=module', '--eval', script], { encoding: 'utf8' });
  expect(stdout.trim()).toBe('roots/io');
  chmodSync(shut, 0o700);
  rmSync(shut, { recursive: true });
});
