/** The relay: a question put through the model, for clients that cannot be asked. */

import { systemClock } from '@midcall/core/time';
import { type Call, midcall } from '@midcall/server';
import { memoryStore } from '@midcall/server/stores/memory';
import { connectPair, pairings, type ScriptedPerson, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const says = (text: string) => ({ content: [{ type: 'text' as const, text }] });

describe.each(pairings)('%s over %s', (era, carrier) => {
  async function connect(capabilities: object, handler?: (call: Call) => Promise<string>, person?: ScriptedPerson) {
    const ran: string[] = [];
    let now = 1_000_000;
    const mid = midcall({
      channels: ['native', 'relay'],
      suspectBelowMs: 0,
      warn: () => {},
      clock: { ...systemClock, now: () => now },
    });
    const delay =
      handler ??
      (async call => {
        await call.step('find', () => ran.push('find'));
        const answer = await call.elicit({
          message: 'Which colour?',
          form: ['red', 'green'],
          channels: ['native', 'relay'],
          timeoutMs: 60_000,
        });
        if (answer.action !== 'accept') return `${answer.action} by ${answer.by.channel}`;
        await call.step('paint', () => ran.push(`paint ${answer.content}`));
        return `${answer.content}, ${answer.by.channel}, ${answer.by.assurance}`;
      });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'paint', { inputSchema: z.object({ wall: z.string() }) }, async (_, call) =>
        says(await delay(call)),
      );
      return server;
    };
    const pair = await connectPair(factory, { era, carrier, capabilities, ...(person && { person }) });
    const call = async (name: string, args: object) => {
      const result = await pair.client.callTool({ name, arguments: args as Record<string, unknown> });
      return { text: (result.content[0] as { text: string }).text, isError: result.isError ?? false };
    };
    const begin = async () => {
      const { text } = await call('paint', { wall: 'north' });
      return { text, ticket: /ticket "([^"]+)"/.exec(text)?.[1] ?? '' };
    };
    return {
      pair,
      call,
      begin,
      ran,
      later: (ms: number) => {
        now += ms;
      },
    };
  }

  it('a relay puts the question as a text, takes the answer once, and does the work once', async () => {
    const { pair, call, begin, ran } = await connect({});
    const { text, ticket } = await begin();
    expect(text).toContain('> Which colour?');
    expect(text).toContain('one of "red", "green"');
    expect(ran).toEqual(['find']);
    const answer = { ticket, action: 'accept', content: { value: 'green' } };
    expect((await call('resume', answer)).text).toBe('green, relay, relayed');
    // A client that lost the answer gets it again; nothing runs twice, and no other answer is taken.
    expect(await call('resume', answer)).toEqual({ text: 'green, relay, relayed', isError: false });
    const other = await call('resume', { ...answer, content: { value: 'red' } });
    expect(other.isError).toBe(true);
    expect(other.text).toContain('already used');
    expect(ran).toEqual(['find', 'paint green']);
    await pair.close();
  });

  it('a relay tells a decline from an answer', async () => {
    const { pair, call, begin, ran } = await connect({});
    const { ticket } = await begin();
    expect((await call('resume', { ticket, action: 'decline' })).text).toBe('decline by relay');
    expect(ran).toEqual(['find']);
    await pair.close();
  });

  it('a relay checks the answer like any other, and asks again with a new ticket', async () => {
    const { pair, call, begin } = await connect({});
    const { ticket } = await begin();
    const { text } = await call('resume', { ticket, action: 'accept', content: { value: 'blue' } });
    expect(text).toContain('The last answer did not fit');
    const next = /ticket "([^"]+)"/.exec(text)?.[1];
    expect((await call('resume', { ticket: next, action: 'accept', content: { value: 'red' } })).text).toContain(
      'red, relay',
    );
    await pair.close();
  });

  it('a relay takes no answer that comes late, and refuses an unknown ticket', async () => {
    const { pair, call, begin, later, ran } = await connect({});
    const { ticket } = await begin();
    later(61_000);
    const late = await call('resume', { ticket, action: 'accept', content: { value: 'red' } });
    expect(late).toEqual({ text: 'cancel by relay', isError: false });
    expect((await call('resume', { ticket: 'nonsense', action: 'decline' })).isError).toBe(true);
    expect(ran).toEqual(['find']);
    await pair.close();
  });

  it('the tool resume is listed only for clients that may need it', async () => {
    const without = await connect({});
    expect((await without.pair.client.listTools()).tools.map(tool => tool.name)).toEqual(['paint', 'resume']);
    await without.pair.close();
    const asked = await connect({ elicitation: {} });
    const listed = era === '2025-11-25' ? ['paint'] : ['paint', 'resume']; // its rounds may be used up
    expect((await asked.pair.client.listTools()).tools.map(tool => tool.name)).toEqual(listed);
    await asked.pair.close();
    const tasks = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const goesOn = await connect(tasks);
    expect((await goesOn.pair.client.listTools()).tools.map(tool => tool.name)).toEqual(['paint']);
    await goesOn.pair.close();
  });

  const fortyQuestions = (asked: string[]) => async (call: Call) => {
    await call.step('measure', () => asked.push('measured'));
    let yes = 0;
    for (let n = 1; n <= 40; n += 1) {
      const answer = await call.elicit({ message: `Question ${n}?`, form: Boolean, channels: ['native', 'relay'] });
      if (answer.action === 'accept' && answer.content) yes += 1;
    }
    return `${yes} of 40`;
  };

  it('a client that can be asked gets forty questions: where its rounds are used up, a ticket continues the call', async () => {
    const [measured, tickets]: [string[], string[]] = [[], []];
    const person = scriptedPerson(Array(40).fill({ action: 'accept', content: { value: true } }));
    const seen = person.asked;
    const { pair, call, begin } = await connect({ elicitation: {} }, fortyQuestions(measured), person);
    let { text, ticket } = await begin();
    while (ticket !== '') {
      expect(text).toContain(`Still to be asked: 'Question ${seen.length + 1}?'`);
      tickets.push(ticket);
      ({ text } = await call('resume', { ticket }));
      ticket = /ticket "([^"]+)"/.exec(text)?.[1] ?? '';
    }
    expect(text).toBe('40 of 40');
    expect(seen.map(each => each.params['message'])).toEqual(
      Array.from({ length: 40 }, (_, n) => `Question ${n + 1}?`),
    );
    expect(measured).toEqual(['measured']);
    expect(tickets).toHaveLength(era === '2025-11-25' ? 0 : 4);
    for (const used of tickets)
      expect((await call('resume', { ticket: used, action: 'decline' })).text).toContain('already used');
    expect(seen).toHaveLength(40);
    await pair.close();
  });

  it('a relay asks forty questions through the model, each with a ticket of its own', async () => {
    const measured: string[] = [];
    const { pair, call, begin } = await connect({}, fortyQuestions(measured));
    let { text, ticket } = await begin();
    for (let n = 1; n <= 40; n += 1) {
      expect(text).toContain(`> Question ${n}?`);
      ({ text } = await call('resume', { ticket, action: 'accept', content: { value: true } }));
      ticket = /ticket "([^"]+)"/.exec(text)?.[1] ?? '';
    }
    expect(text).toBe('40 of 40');
    expect(measured).toEqual(['measured']);
    await pair.close();
  });

  it('a relay does not carry a question that demands more, nor one of a destructive tool that did not allow it', async () => {
    const demanding = await connect({}, async call => {
      const answer = await call.elicit({
        message: 'Sure?',
        form: Boolean,
        assurance: 'in-band',
        channels: ['native', 'relay'],
      });
      return answer.action === 'cancel' ? answer.reason : answer.action;
    });
    expect((await demanding.call('paint', { wall: 'x' })).text).toBe('unavailable');
    await demanding.pair.close();
    const silent = await connect({}, async call => {
      const answer = await call.elicit({ message: 'Sure?', form: Boolean });
      return answer.action === 'cancel' ? answer.reason : answer.action;
    });
    expect((await silent.call('paint', { wall: 'x' })).text).toBe('unavailable');
    await silent.pair.close();
  });

  it('a relay reaches the model also where the tool promises structured results, on both sides of the wire', async () => {
    const mid = midcall({ channels: ['native', 'relay'], suspectBelowMs: 0, warn: () => {} });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'paint', { outputSchema: z.object({ colour: z.string() }) }, async (_, call) => {
        const { action } = await call.elicit({ message: 'Which?', form: ['red', 'green'], channels: ['relay'] });
        return { ...says(action), structuredContent: { colour: action } };
      });
      return server;
    };
    const pair = await connectPair(factory, { era, carrier, capabilities: {} });
    await pair.client.listTools();
    const waits = await pair.client.callTool({ name: 'paint', arguments: {} });
    const ticket = /ticket "([^"]+)"/.exec(JSON.stringify(waits.content).replaceAll('\\"', '"'))?.[1];
    expect(ticket).toBeDefined();
    const done = await pair.client.callTool({ name: 'resume', arguments: { ticket, action: 'decline' } });
    expect(done).toMatchObject({ structuredContent: { colour: 'decline' } });
    await pair.close();
  });

  it('a ticket is used once where two use it at the same time: both are told what came of it', async () => {
    let begin = (): void => {};
    const begun = new Promise<void>(resolve => {
      begin = resolve;
    });
    let end = (): void => {};
    const ended = new Promise<void>(resolve => {
      end = resolve;
    });
    const ran: string[] = [];
    const made = await connect({}, async call => {
      const answer = await call.elicit({ message: 'Which?', form: ['red', 'green'], channels: ['relay'] });
      await call.step('paint', async () => {
        ran.push('paint');
        begin();
        await ended;
      });
      return answer.action;
    });
    const { ticket } = await made.begin();
    const answer = { ticket, action: 'accept', content: { value: 'red' } };
    const first = made.call('resume', answer);
    await begun;
    const second = made.call('resume', answer);
    const other = await made.call('resume', { ticket, action: 'decline' });
    expect(other).toMatchObject({ isError: true, text: expect.stringContaining('already used') });
    end();
    expect(await Promise.all([first, second])).toEqual([
      { text: 'accept', isError: false },
      { text: 'accept', isError: false },
    ]);
    expect(ran).toEqual(['paint']);
    await made.pair.close();
  });

  // A session of 2025-11-25 over HTTP ends with its process.
  if (era === '2026-07-28' || carrier !== 'http')
    it('a process that died while it went on with a call leaves its step in doubt: not run again, and said', async () => {
      let now = 1_000_000;
      const store = memoryStore({ clock: { now: () => now } });
      const ran: string[] = [];
      let begin = (): void => {};
      const begun = new Promise<void>(resolve => {
        begin = resolve;
      });
      const process = (dies: boolean) => {
        const key = new Uint8Array(32).fill(7);
        // What died shows no presence any more.
        const dead = dies ? { after: () => () => {} } : {};
        const mid = midcall({
          key,
          store,
          channels: ['relay'],
          suspectBelowMs: 0,
          warn: () => {},
          clock: { ...systemClock, now: () => now, ...dead },
        });
        const factory = () => {
          const server = new McpServer({ name: 'test', version: '1.0.0' });
          mid.tool(server, 'paint', {}, async (_, call) => {
            await call.elicit({ message: 'Which?', form: ['red', 'green'], channels: ['relay'] });
            await call.step('mix', () => ran.push('mix'));
            await call.step('paint', async () => {
              ran.push('paint');
              begin();
              if (dies) await new Promise(() => {});
            });
            return says('painted');
          });
          return server;
        };
        return connectPair(factory, { era, carrier, capabilities: {} });
      };
      const first = await process(true);
      const asked = await first.client.callTool({ name: 'paint' });
      const ticket = /ticket "([^"]+)"/.exec((asked.content[0] as { text: string }).text)?.[1];
      const answer = { name: 'resume', arguments: { ticket, action: 'accept', content: { value: 'red' } } };
      void first.client.callTool(answer).catch(() => {});
      await begun;
      now += 60_000;
      await using second = await process(false);
      for (let n = 0; n < 2; n++) {
        const { text, isError } = await second.client.callTool(answer).then(
          result => ({ text: (result.content[0] as { text: string }).text, isError: result.isError }),
          (error: Error) => ({ text: error.message, isError: true }),
        );
        expect({ text, isError }).toEqual({ isError: true, text: expect.stringContaining('In doubt: paint.') });
        expect(text).toContain('Done: mix.');
      }
      expect(ran).toEqual(['mix', 'paint']);
      await first.close();
    });

  it('a ticket is not spent where the person’s action is missing', async () => {
    const { pair, call, begin } = await connect({});
    const { ticket } = await begin();
    expect(await call('resume', { ticket })).toMatchObject({
      isError: true,
      text: expect.stringContaining('still be'),
    });
    expect((await call('resume', { ticket, action: 'decline' })).text).toBe('decline by relay');
    await pair.close();
  });

  it('a ticket is not spent by somebody it was not made for', async () => {
    let who = 'ann';
    const mid = midcall({
      channels: ['relay'],
      suspectBelowMs: 0,
      warn: () => {},
      principal: () => ({ issuer: 'test', subject: who }),
    });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'paint', {}, async (_, call) => {
        const answer = await call.elicit({ message: 'Colour?', form: ['red', 'green'], channels: ['relay'] });
        return says(answer.action === 'accept' ? String(answer.content) : answer.action);
      });
      return server;
    };
    if (carrier !== 'http') return;
    await using pair = await connectPair(factory, { era, carrier, capabilities: {} });
    const call = async (name: string, args: Record<string, unknown>) =>
      ((await pair.client.callTool({ name, arguments: args })).content[0] as { text: string }).text;
    const ticket = /ticket "([^"]+)"/.exec(await call('paint', {}))?.[1];
    who = 'eve';
    const answer = { ticket, action: 'accept', content: { value: 'red' } };
    expect(await call('resume', answer)).toContain('not made for this person');
    who = 'ann';
    expect(await call('resume', answer)).toBe('red');
  });
});
