/** A million operations leave no descriptor open. */
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boundary, liveRoots, toUri } from '@midcall/server/roots';
import { expect, it } from 'vitest';

const total = Number(process.env['MIDCALL_OPERATIONS'] ?? 1_000_000);
const open = (): number => fs.readdirSync('/proc/self/fd').length;

it.skipIf(process.platform !== 'linux')(
  `${total} operations, with roots that change, leave no descriptor open`,
  async () => {
    const top = fs.existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
    const base = fs.realpathSync(fs.mkdtempSync(join(top, 'midcall-soak-')));
    for (const path of ['a/sub', 'b']) fs.mkdirSync(join(base, path), { recursive: true });
    for (const path of ['a/x', 'b/x']) fs.writeFileSync(join(base, path), 'x');
    fs.symlinkSync('../b/x', join(base, 'a/out'));
    const before = open();
    let which = 'a';
    const live = liveRoots({
      boundary: boundary({ ceiling: [base] }),
      list: async () => [{ uri: toUri(join(base, which)) }],
      announces: true,
    });
    let done = 0;
    let most = 0;
    const lane = async (number: number): Promise<void> => {
      while (done < total) {
        const files = await live.files();
        const steps: (() => Promise<unknown>)[] = [
          () => files.read('x'),
          () => files.exists('nope'),
          () => files.stat('out'),
          () => files.read('../b/x'),
          () => files.write('x', 'x'),
          () => files.append(`log-${number}`, ''),
          () => files.list('.'),
          () => files.create(`new-${number}`, ''),
          () => files.rename(`new-${number}`, `deep/${number}/new`),
          () => files.copy('x', `deep/${number}/copy`),
          () => files.removeTree(`deep/${number}`),
          async () => await (await files.open('x', 'r+')).close(),
          async () => await (await files.stream('x')).toArray(),
        ];
        for (const step of steps) {
          done += 1;
          await step().catch(() => undefined);
        }
        await files.close();
        if (number === 0 && Math.random() < 0.2) {
          which = which === 'a' ? 'b' : 'a';
          await live.changed();
          most = Math.max(most, open());
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, number) => lane(number)));
    await live.close();
    expect(most).toBeLessThan(before + 64);
    expect(open()).toBe(before);
    fs.rmSync(base, { recursive: true });
  },
);
