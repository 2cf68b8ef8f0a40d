import { it } from 'vitest';
import { nothingHides } from './visible-cases.ts';

it('shows what it is given whole, hides nothing of it, and counts what it leaves out: 1,000,000 texts', () => {
  nothingHides(1_000_000);
});
