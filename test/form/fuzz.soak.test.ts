import { describe, it } from 'vitest';
import { fuzzPatterns, fuzzReadForm } from './fuzz.ts';

describe('whatever a stranger sends, many times', () => {
  it('whatever a stranger sends as a form is read within its limits or refused, and reads the same twice', () => {
    fuzzReadForm(50_000);
  });

  it('whatever a stranger sends as a pattern is judged within its steps, and as the native engine judges it', () => {
    fuzzPatterns(300_000);
  });
});
