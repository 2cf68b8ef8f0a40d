import { eras } from '@midcall/testing';
import { it } from 'vitest';
import { attack } from './attacks.ts';

it.each(eras)('of 10,000 attempts of a model to answer, change, replay or forge, none is taken (%s)', era =>
  attack(era, 10_000, 11),
);
