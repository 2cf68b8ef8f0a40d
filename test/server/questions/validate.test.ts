/** Answers that fit their form and are judged by what the server knows. */
import { type Answer, type Call, type Midcall, midcall } from '@midcall/server';
import { connectPair, type Scripted, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { corners } from '../../fixtures/corners.ts';

const seats = (seat: string, count = 1) => ({ action: 'accept' as const, content: { seat, count } });
const form = { seat: String, count: Number };

function server(mid: Midcall, handler: (call: Call) => Promise<unknown>) {
  const made = new McpServer({ name: 'test', version: '1.0.0' });
  mid.tool(made, 'act', {}, async (_args, call) => JSON.stringify(await handler(call)));
  return made;
}

describe.each(corners)('%s over %s', (era, carrier) => {
  async function call(handler: (call: Call) => Promise<unknown>, answers: readonly Scripted[]) {
    const mid = midcall({ suspectBelowMs: 0, warn: () => {} });
    const person = scriptedPerson(answers);
    await using pair = await connectPair(() => server(mid, handler), { era, carrier, person });
    const { content, isError } = await pair.client.callTool({ name: 'act' });
    const { text } = content[0] as { text: string };
    const asked = person.asked.map(({ params }) => params as { message: string; requestedSchema: Schema });
    return { said: (isError ? text : JSON.parse(text)) as Answer<unknown> & string, asked };
  }
  interface Schema {
    readonly properties: Readonly<Record<string, { readonly description?: string; readonly default?: unknown }>>;
  }

  it('an author’s check puts each message at its field, with what was typed, and judges each answer once', async () => {
    const judged: unknown[] = [];
    const { said, asked } = await call(
      async each => {
        const answer = await each.elicit({
          message: 'Which seat?',
          form,
          validate: content => {
            judged.push(content);
            return content.seat === '1A' ? { seat: 'That seat is taken.' } : undefined;
          },
        });
        await each.elicit({ message: 'Sure?', form: Boolean });
        return answer;
      },
      [seats('1A', 3), seats('2B', 3), { action: 'accept', content: { value: true } }],
    );
    expect(said).toMatchObject({ action: 'accept', content: { seat: '2B', count: 3 } });
    expect(judged).toEqual([
      { seat: '1A', count: 3 },
      { seat: '2B', count: 3 },
    ]);
    const [first, again] = asked;
    expect(first!.message).toBe('Which seat?');
    expect(first!.requestedSchema.properties['seat']).not.toHaveProperty('default');
    expect(again!.message).toBe('Which seat?\n\nThe last answer did not fit. That seat is taken.');
    expect(again!.requestedSchema.properties).toMatchObject({
      seat: { description: 'That seat is taken.', default: '1A' },
      count: { default: 3 },
    });
    expect(again!.requestedSchema.properties['count']).not.toHaveProperty('description');
  });

  it('an answer that its check refuses is asked for twice more, and then is invalid', async () => {
    const taken = [seats('1A'), seats('1B'), seats('1C')];
    const { said, asked } = await call(
      each => each.elicit({ message: 'Which seat?', form, validate: async ({ seat }) => `Seat ${seat} is taken` }),
      taken,
    );
    expect(said).toMatchObject({ action: 'cancel', reason: 'invalid' });
    expect(asked.map(({ message }) => message.split('\n').at(-1))).toEqual([
      'Which seat?',
      'The last answer did not fit. Seat 1A is taken',
      'The last answer did not fit. Seat 1B is taken',
    ]);
  });

  it('a form put again shows no secret that was typed, and cuts what is wrong to a length people read', async () => {
    const { asked } = await call(
      each =>
        each.elicit({
          message: 'Which seat?',
          form: { seat: String, count: Number, remark: { type: 'string' } },
          validate: ({ remark }) => ({ remark: remark === 'aisle' ? undefined : 'No. '.repeat(1_000) }),
        }),
      [
        { action: 'accept', content: { seat: '4111 1111 1111 1111', count: 4111111111111111, remark: 'window' } },
        { action: 'accept', content: { seat: '1A', count: 1, remark: 'aisle' } },
      ],
    );
    const { seat, count, remark } = asked[1]!.requestedSchema.properties;
    expect([seat, count, remark].map(each => each?.default)).toEqual([undefined, undefined, 'window']);
    expect(JSON.stringify(asked[1])).not.toContain('4111');
    expect(remark?.description).toHaveLength(500);
  });

  it('validate judges neither a no nor an answer that does not fit the form', async () => {
    const judged: unknown[] = [];
    const validate = (content: unknown) => void judged.push(content);
    const { said } = await call(
      each => each.elicit({ message: 'Which seat?', form, validate }),
      [{ action: 'accept', content: { seat: 7 } }, { action: 'decline' }],
    );
    expect([said.action, judged]).toEqual(['decline', []]);
  });

  it('validate ends the call where it returns something else, or throws', async () => {
    const bad = await call(
      each => each.elicit({ message: 'Which seat?', form, validate: (() => ({ seat: 7 })) as never }),
      [seats('1A')],
    );
    expect(bad.said).toContain('validate must return nothing, a string');
    for (const empty of ['', ' ', { seat: '' }]) {
      const { said } = await call(
        each => each.elicit({ message: 'Which seat?', form, validate: () => empty }),
        [seats('1A')],
      );
      expect(said).toContain('validate must return nothing, a string');
    }
    const validate = () => {
      throw new Error('the plan of seats is away');
    };
    const away = await call(each => each.elicit({ message: 'Which seat?', form, validate }), [seats('1A')]);
    expect(away.said).toContain('the plan of seats is away');
  });
});
