/** What authors write compiles with every version of TypeScript since 5.4. */
import { describe, expect, it } from 'vitest';
import { checkedBy, downloaded, resolutions } from './compilers.ts';

const versions = ['5.4.5', '5.5.4', '5.6.3', '5.7.3', '5.8.3', '5.9.3', '6.0.3', '7.0.2'];

describe.each(versions)('TypeScript %s', version => {
  it.each(Object.keys(resolutions) as (keyof typeof resolutions)[])(
    'a compiler finds no fault in what an author writes, resolved as by %s',
    resolution => {
      const start = downloaded(version);
      expect(start).toBeDefined();
      expect(checkedBy(start!, resolution, 'test/types/author.ts')).toBe('');
    },
  );
});
