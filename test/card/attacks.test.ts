import { eras } from '@midcall/testing';
import { it } from 'vitest';
import { attack } from './attacks.ts';

it.each(eras)('of 120 attempts of a model to answer, change, replay or forge, none is taken (%s)', era =>
  attack(era, 120),
);
