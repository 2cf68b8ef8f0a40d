import { form } from '@midcall/core/form';
import { describe, expect, it } from 'vitest';
import { toFirstForm } from '../../packages/core/src/form/first-form.ts';

const list = (more: object) => ({ type: 'array', items: { type: 'string', enum: ['a', 'b'] }, ...more });
const spelled = (properties: object, required: readonly string[] = []) =>
  toFirstForm(form({ type: 'object', properties, required } as never));

describe('a form for the first revision with elicitation', () => {
  it('a form for the first revision asks for a list as a yes or no for each, and says at the first what is of all', () => {
    const { schema } = spelled({
      tags: list({ title: 'Tags', description: 'What it is about.', minItems: 1, maxItems: 2, default: ['b'] }),
      few: list({ maxItems: 1 }),
      any: list({}),
    });
    expect(schema).toStrictEqual({
      type: 'object',
      properties: {
        tags_1: {
          type: 'boolean',
          title: 'Tags: a',
          description: 'What it is about. Choose at least 1. Choose at most 2.',
          default: false,
        },
        tags_2: { type: 'boolean', title: 'Tags: b', default: true },
        few_1: { type: 'boolean', title: 'Few: a', description: 'Choose at most 1.' },
        few_2: { type: 'boolean', title: 'Few: b' },
        any_1: { type: 'boolean', title: 'Any: a' },
        any_2: { type: 'boolean', title: 'Any: b' },
      },
    });
  });

  it('a form for the first revision gives titled choices the names that clients knew then', () => {
    const tone = { type: 'string', title: 'Tone', oneOf: [{ const: 'w', title: 'Warm' }] };
    expect(spelled({ tone }, ['tone']).schema).toStrictEqual({
      type: 'object',
      properties: { tone: { type: 'string', title: 'Tone', enum: ['w'], enumNames: ['Warm'] } },
      required: ['tone'],
    });
  });

  it('a form for the first revision takes what was ticked as the list, and nothing ticked as no answer', async () => {
    const asked = spelled({ tags: list({}), tags_1: { type: 'string' } });
    expect(Object.keys((asked.schema as { properties: object }).properties)).toEqual(['tags_1_', 'tags_2', 'tags_1']);
    expect(await asked.check({ tags_1_: true, tags_2: false, tags_1: 'x' })).toEqual({
      ok: true,
      value: { tags: ['a'], tags_1: 'x' },
    });
    expect(await asked.check({ tags_1_: false })).toEqual({ ok: true, value: {} });
    expect(await spelled({ tags: list({}) }, ['tags']).check({})).toEqual({ ok: true, value: { tags: [] } });
  });

  it('a form for the first revision with elicitation says what is wrong in the words of what was asked', async () => {
    const asked = spelled({ tags: list({ title: 'Tags', maxItems: 1 }) });
    const says = async (content: object) => {
      const checked = await asked.check(content);
      return checked.ok ? checked.value : checked.issues.map(each => each.message);
    };
    expect(await says({ tags_1: true, tags_2: true })).toEqual(['Tags takes at most 1 choice.']);
    expect(await says({ tags_2: 'yes' })).toEqual(['Tags: b must be yes or no.']);
    expect(await asked.check({ tags: ['a'] })).toEqual({ ok: true, value: {}, leftOut: ['tags'] });
  });
});
