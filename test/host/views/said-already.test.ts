/** A limit that the server's own description states is not put beside it once more; see packages/host/src/views/said-already.ts. */
import type { Field } from '@midcall/core/form';
import { describe, expect, it } from 'vitest';
import { saidAlready } from '../../../packages/host/src/views/said-already.ts';
import { fieldControl } from '../../../packages/host/src/web/form/field-controls.ts';

const none = undefined;

describe('a description', () => {
  it.each<[string, number | undefined, number | undefined, 'characters' | 'choices' | 'number']>([
    ['Between 2 and 10 characters.', 2, 10, 'characters'],
    ['Your name (2-10 letters)', 2, 10, 'characters'],
    ['2 to 10 characters', 2, 10, 'characters'],
    ['At least 2 and at most 10 characters.', 2, 10, 'characters'],
    ['At least 8 characters, please.', 8, none, 'characters'],
    ['No more than 80 characters.', none, 80, 'characters'],
    ['Exactly 4 characters.', 4, 4, 'characters'],
    ['Pick 1 to 3 options.', 1, 3, 'choices'],
    ['A number from 1 to 5.', 1, 5, 'number'],
    ['Between -5 and 5', -5, 5, 'number'],
    ['From 0.5 to 1.5', 0.5, 1.5, 'number'],
  ])('a description that says %j states the limit', (description, min, max, of) => {
    expect(saidAlready(description, min, max, of)).toBe(true);
  });

  it.each<[string | undefined, number | undefined, number | undefined, 'characters' | 'choices' | 'number']>([
    [undefined, 2, 10, 'characters'],
    ['Anything', none, none, 'characters'],
    ['Between 2 and 100 characters.', 2, 10, 'characters'],
    ['Between 12 and 10 characters.', 2, 10, 'characters'],
    ['Between 2 and 10 words.', 2, 10, 'characters'],
    ['At least 2 characters.', 2, 10, 'characters'],
    ['At least 80 characters.', none, 80, 'characters'],
    ['From 1 to 5.5', 1, 5, 'number'],
    ['Step 1 of 5', 1, 5, 'number'],
  ])('a description that says %j does not state the limit', (description, min, max, of) => {
    expect(saidAlready(description, min, max, of)).toBe(false);
  });
});

describe('a field of a form', () => {
  const name: Field = { kind: 'text', name: 'name', required: true, minLength: 2, maxLength: 10 };
  const place = {
    scope: 's',
    draft: new Map(),
    issues: [],
    secrets: new Set<string>(),
    warns: true,
    zone: 'UTC',
    now: 0,
  };
  const help = (field: Field): string =>
    /<p class="help"[^>]*>(.*?)<\/p>/.exec(fieldControl(field, 0, place).text)?.[1] ?? '';

  it('a field of a form says its limits once, in the words of the server where it has them', () => {
    expect(help({ ...name, description: 'Between 2 and 10 characters.' })).toBe('Between 2 and 10 characters.');
    expect(help({ ...name, description: 'As in your passport.' })).toContain('2 to 10 characters.');
    expect(help(name)).toContain('2 to 10 characters.');
  });
});
