import { expect, it } from 'vitest';
import { expandTemplate, templateNames } from '../../../packages/host/src/views/resource-template.ts';

it('a template names what it leaves open, and takes it escaped', () => {
  const template = 'notes:///{folder}/{name}';
  expect(templateNames(template)).toEqual(['folder', 'name']);
  expect(expandTemplate(template, { folder: 'a b', name: '../../etc' })).toBe('notes:///a%20b/..%2F..%2Fetc');
});

it.each([['unclosed {'], [`{${'x'.repeat(2_000_000)}}`]])('a host cannot read a template that is none', template => {
  expect(templateNames(template)).toBeUndefined();
  expect(expandTemplate(template, { x: 1 })).toBe(template);
});
