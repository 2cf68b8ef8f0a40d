/** What authors write compiles with the oldest compiler that we promise and with the newest; the ones between are soaked. */
import { describe, expect, it } from 'vitest';
import { checkedBy, compiler, resolutions } from './compilers.ts';

const oldest = '5.4.5';
const newest = '7.0.2';

describe.each([oldest, newest])('TypeScript %s', version => {
  const start = compiler(version);
  if (start === undefined) console.warn(`TypeScript ${version} is not checked: npm cannot get it.`);
  it.skipIf(start === undefined).each(Object.keys(resolutions) as (keyof typeof resolutions)[])(
    'types forms, inputs and misspelt options alike for every schema library, resolved as by %s',
    resolution => {
      expect(checkedBy(start!, resolution, 'test/types/author.ts')).toBe('');
    },
  );
});
