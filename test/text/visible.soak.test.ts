import { it } from 'vitest';
import { nothingHides } from './visible-cases.ts';

it('visible() shows its text whole, hides nothing of it, and counts what it leaves out: 1,000,000 texts', () => {
  nothingHides(1_000_000);
});
