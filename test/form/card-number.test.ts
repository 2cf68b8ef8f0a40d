import { isCardNumber } from '@midcall/core/form';
import { describe, expect, it } from 'vitest';

describe('a card number', () => {
  it.each([
    '4111 1111 1111 1111',
    '4111-1111-1111-1111',
    '378282246310005',
    '5555555555554444',
    '2223003122003222',
    '6011111111111117',
    '30569309025904',
    4111111111111111,
    ' 4222222222222 ',
    '4111111111111111110',
  ])('a card number is found in %j', value => {
    expect(isCardNumber(value)).toBe(true);
  });

  it.each([
    '4111 1111 1111 1112',
    '411111111117',
    '41111111111111111115',
    '4111--1111--1111--1111',
    '4111111111111111-',
    -4111111111111111,
    '9783161484100',
    '1234567812345670',
    '41111111111111111111',
    'order 4111111111111111',
    '',
    '0'.repeat(16),
    true,
    undefined,
    ['4111111111111111'],
    `4${' '.repeat(50)}`,
  ])('a card number is not found in %j', value => {
    expect(isCardNumber(value)).toBe(false);
  });
});
