/** Runs the README's code. */
import { expect, it } from 'vitest';
import { personClient } from '../../examples/readme/attach-person.ts';
import '../../examples/readme/test-notes.ts';

it('the README’s host declares what a person behind it can do', async () => {
  expect(personClient()).toBeDefined();
});
