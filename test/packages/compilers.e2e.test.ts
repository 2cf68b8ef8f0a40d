/** What authors write compiles with the oldest compiler that we promise and with the newest; the ones between are soaked. */
import { describe, expect, it } from 'vitest';
import { compiler } from '../../tools/places.ts';
import { few } from '../fixtures/soak.ts';
import { checkedBy, resolutions } from './compilers.ts';

describe.each(['oldest', 'newest'] as const)('the %s TypeScript of authors', which => {
  it.each(few(Object.keys(resolutions) as (keyof typeof resolutions)[], 'nodenext'))(
    'a compiler types forms, inputs and misspelt options alike for every schema library, resolved as by %s',
    resolution => {
      expect(checkedBy(compiler(which), resolution, 'test/types/author.ts')).toBe('');
    },
  );
});
