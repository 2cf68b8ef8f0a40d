/** Cards: a question in the conversation of a host that shows MCP Apps and has no elicitation. */
import type { Call } from '@midcall/server';
import { connect, type SignIn } from '@midcall/server/connect';
import { scriptedPerson } from '@midcall/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { corners } from '../fixtures/corners.ts';
import { apps, cardScene, type SceneOptions } from './scene.ts';

describe.each(corners)('%s over %s', (era, carrier) => {
  const scene = (more: Omit<SceneOptions, 'era' | 'carrier'> = {}) => cardScene({ era, carrier, ...more });

  it('the call ends with a plain result that says that it is not finished, and the App gets the question', async () => {
    const { pair, paint, ran, events } = await scene();
    const { text, isError, card } = await paint();
    expect(isError).toBe(false);
    expect(text).toMatch(/^It is not finished: 'paint' waits for the person/);
    expect(text).toContain('> Which colour?');
    expect(card).toMatchObject({
      question: { message: 'Which colour?', fields: [{ kind: 'select', name: 'value', required: true }] },
      server: 'painter',
      tool: 'paint',
      deadline: new Date(1_060_000).toISOString(),
      ticket: expect.any(String),
    });
    // The model never gets the ticket: no text has it.
    expect(text).not.toContain(card!.ticket);
    expect(ran).toEqual(['find']);
    expect(events.filter(each => each.kind === 'asked')).toMatchObject([{ channel: 'card' }]);
    expect(events.filter(each => each.kind === 'ended')).toMatchObject([{ outcome: 'parked' }]);
    await pair.close();
  });

  it('the call goes on from its journal with the answer, which counts once, and drops nothing that the model passed', async () => {
    const { pair, paint, answer, ran, events } = await scene();
    const { card } = await paint('south');
    const accepts = { action: 'accept', content: { value: 'green' } };
    const done = await answer(card?.ticket, accepts);
    expect(done).toMatchObject({ text: 'south is green, card, in-band', isError: false, card: undefined });
    // A host that lost the result gets it again; nothing runs twice, and no other answer is taken.
    expect((await answer(card?.ticket, accepts)).text).toBe('south is green, card, in-band');
    const other = await answer(card?.ticket, { action: 'accept', content: { value: 'red' } });
    expect(other).toMatchObject({
      isError: true,
      text: expect.stringContaining('already used'),
      card: { isRefused: true, isAnswered: true },
    });
    expect(ran).toEqual(['find', 'paint south green']);
    expect(events.filter(each => each.kind === 'answered')).toMatchObject([
      { action: 'accept', by: { channel: 'card' } },
    ]);
    await pair.close();
  });

  it.each([
    ['decline', 'decline by card'],
    ['cancel', 'cancel dismissed by card'],
  ])('a %s on the card is taken for what it is', async (action, says) => {
    const { pair, paint, answer, ran } = await scene();
    const { card } = await paint();
    expect((await answer(card?.ticket, { action })).text).toBe(says);
    expect(ran).toEqual(['find']);
    await pair.close();
  });

  it('no answer is taken that comes late, and one that comes when nothing is kept of its call is refused', async () => {
    const { pair, paint, answer, later, ran } = await scene();
    const accepts = { action: 'accept', content: { value: 'red' } };
    const late = (await paint()).card;
    later(61_000);
    expect((await answer(late?.ticket, accepts)).text).toBe('cancel timeout by card');
    const old = (await paint()).card;
    later(5 * 60 * 60_000);
    expect(await answer(old?.ticket, accepts)).toMatchObject({
      isError: true,
      text: expect.stringContaining('expired'),
    });
    expect(ran).toEqual(['find', 'find']);
    await pair.close();
  });

  it('an answer is checked by its form, and asked for again on a new card with the reason', async () => {
    const { pair, paint, answer } = await scene();
    const { card } = await paint();
    const again = await answer(card?.ticket, { action: 'accept', content: { value: 'blue' } });
    expect(again.isError).toBe(false);
    expect(again.card?.question?.message).toContain('The last answer did not fit');
    expect(again.card?.ticket).not.toBe(card?.ticket);
    expect((await answer(again.card?.ticket, { action: 'accept', content: { value: 'red' } })).text).toContain(
      'red, card',
    );
    await pair.close();
  });

  it('what was typed is on the new card when the handler rejects it', async () => {
    const { pair, paint, answer } = await scene({
      handler: async call => {
        const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
        const validate = ({ name }: { name: string }) =>
          name === 'taken' ? { name: 'That name is taken.' } : undefined;
        const given = await call.elicit({ message: 'Its name?', form, validate });
        return given.action === 'accept' ? given.content.name : given.action;
      },
    });
    const { card } = await paint();
    const again = await answer(card?.ticket, { action: 'accept', content: { name: 'taken' } });
    expect(again.card?.question?.fields).toMatchObject([{ default: 'taken', description: 'That name is taken.' }]);
    expect((await answer(again.card?.ticket, { action: 'accept', content: { name: 'free' } })).text).toBe('free');
    await pair.close();
  });

  it('an answer that came faster than a person reads is not trusted, where a level is demanded', async () => {
    const { pair, paint, answer } = await scene({
      options: { suspectBelowMs: 250 },
      handler: async call => {
        const given = await call.elicit({ message: 'Sure?', form: Boolean, assurance: 'in-band' });
        return given.action === 'cancel' ? given.reason : `${given.action} ${given.by.suspect}`;
      },
    });
    const { card } = await paint();
    expect((await answer(card?.ticket, { action: 'accept', content: { value: true } })).text).toBe('suspect');
    await pair.close();
  });

  it('one question is asked after another, each on a card of its own with a ticket of its own', async () => {
    const { pair, paint, answer } = await scene({
      handler: async call => {
        const both = await Promise.all([
          call.elicit({ message: 'First?', form: String }),
          call.elicit({ message: 'Second?', form: String }),
        ]);
        return both.map(each => (each.action === 'accept' ? each.content : each.action)).join(' ');
      },
    });
    const first = (await paint()).card;
    expect(first?.question?.message).toBe('First?');
    const second = (await answer(first?.ticket, { action: 'accept', content: { value: 'a' } })).card;
    expect(second?.question?.message).toBe('Second?');
    expect((await answer(second?.ticket, { action: 'accept', content: { value: 'b' } })).text).toBe('a b');
    await pair.close();
  });

  it('two cards are kept apart: each answer goes to its own call', async () => {
    const { pair, paint, answer } = await scene();
    const [north, south] = [(await paint('north')).card, (await paint('south')).card];
    const green = { action: 'accept', content: { value: 'green' } };
    expect((await answer(south?.ticket, { ...green, content: { value: 'red' } })).text).toContain('south is red');
    expect((await answer(north?.ticket, green)).text).toContain('north is green');
    await pair.close();
  });

  it('the App and its tool are listed only for clients that show Apps, and the App is served', async () => {
    const { pair } = await scene();
    const { tools } = await pair.client.listTools();
    expect(tools.map(({ name, _meta }) => [name, _meta?.['ui']])).toEqual([
      ['paint', { resourceUri: 'ui://midcall/card' }],
      ['midcall_answer', { visibility: ['app'] }],
    ]);
    const { contents } = await pair.client.readResource({ uri: 'ui://midcall/card' });
    expect(contents).toMatchObject([
      {
        uri: 'ui://midcall/card',
        mimeType: 'text/html;profile=mcp-app',
        text: expect.stringMatching(/^<!doctype html>/),
      },
    ]);
    await pair.close();
    for (const capabilities of [
      {},
      { elicitation: {} },
      { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html'] } } },
      { extensions: { 'io.modelcontextprotocol/ui': {} } },
    ]) {
      const without = await scene({ capabilities });
      const listed = (await without.pair.client.listTools()).tools;
      expect(listed.map(({ name, _meta }) => [name, _meta])).toEqual([['paint', undefined]]);
      await without.pair.close();
    }
  });

  it('a question ends as unavailable for a client without Apps and without elicitation', async () => {
    const { pair, paint, ran } = await scene({ capabilities: {} });
    expect((await paint()).text).toBe('cancel unavailable by native');
    expect(ran).toEqual(['find']);
    await pair.close();
  });

  it('nothing of cards is listed where they are not switched on', async () => {
    const { pair, paint } = await scene({ options: { channels: ['native'] } });
    expect((await pair.client.listTools()).tools.map(({ _meta }) => _meta)).toEqual([undefined]);
    expect((await paint()).card).toBeUndefined();
    await pair.close();
  });

  it('a tool keeps its own App, and its questions take other channels', async () => {
    const { pair, paint } = await scene({ config: { _meta: { ui: { resourceUri: 'ui://painter/walls' } } } });
    expect((await pair.client.listTools()).tools[0]?._meta).toEqual({ ui: { resourceUri: 'ui://painter/walls' } });
    expect((await paint()).text).toBe('cancel unavailable by native');
    await pair.close();
  });

  it('no question is asked of a tool that only Apps call', async () => {
    const { pair, paint } = await scene({ config: { _meta: { ui: { visibility: ['app'] } } } });
    expect((await paint()).text).toBe('cancel unavailable by native');
    await pair.close();
  });

  it('a tool whose output schema refuses the result of a waiting call has no card, and any other has', async () => {
    const structured = (shape: z.ZodRawShape) =>
      scene({
        config: { outputSchema: z.object(shape) as never },
        handler: async call => {
          const given = await call.elicit({ message: 'Which?', form: ['red', 'green'] });
          const colour = given.action === 'accept' ? given.content : given.action;
          return { content: [{ type: 'text', text: colour }], structuredContent: { colour } };
        },
      });
    const strict = await structured({ colour: z.string() });
    await strict.pair.client.listTools();
    expect(await strict.paint()).toMatchObject({ text: 'cancel', card: undefined });
    await strict.pair.close();
    const open = await structured({ colour: z.string().optional() });
    await open.pair.client.listTools();
    const { card, structured: waiting } = await open.paint();
    expect(waiting).toEqual({});
    const done = await open.answer(card?.ticket, { action: 'accept', content: { value: 'red' } });
    expect(done.structured).toEqual({ colour: 'red' });
    await open.pair.close();
  });

  it('a card asks only if the client cannot be asked itself, or if that answer does not count', async () => {
    const asks = { elicitation: {}, ...apps };
    const person = scriptedPerson([{ action: 'accept', content: { value: 'red' } }]);
    const { pair, paint } = await scene({ capabilities: asks });
    person.attach(pair.client, asks);
    expect((await paint()).text).toBe('north is red, native, in-band');
    await pair.close();
    const only = await scene({
      capabilities: asks,
      handler: async call => {
        const given = await call.elicit({ message: 'Which?', form: String, channels: ['card'] });
        return given.by.channel;
      },
    });
    const { card } = await only.paint();
    expect((await only.answer(card?.ticket, { action: 'decline' })).text).toBe('card');
    await only.pair.close();
  });

  it('a wizard goes form by form, with the way back on each card', async () => {
    const { pair, paint, answer } = await scene({
      handler: async call => {
        const step = (name: string) =>
          ({ type: 'object', properties: { [name]: { type: 'string' } }, required: [name] }) as const;
        const forms = { from: { title: 'From', form: step('city') }, to: { title: 'To', form: step('town') } };
        const given = await call.wizard({ message: 'A trip', forms });
        return given.action === 'accept' ? JSON.stringify(given.content) : given.action;
      },
    });
    const accept = async (card: { readonly ticket: string } | undefined, content: object) =>
      answer(card?.ticket, { action: 'accept', content });
    const from = await paint();
    expect(from.card?.question?.message).toContain('Step 1 of 2: From');
    expect(from.card?.question?.wayBack).toBeUndefined();
    const to = await accept(from.card, { city: 'Oslo' });
    const { wayBack, fields } = to.card!.question!;
    const back = fields.find(({ name }) => name === wayBack) as { choices: { value: string }[] };
    const again = await accept(to.card, { [wayBack!]: back.choices[0]!.value });
    expect(again.card?.question?.fields).toMatchObject([{ name: 'city', default: 'Oslo' }]);
    const next = await accept(again.card, { city: 'Bergen' });
    const review = await accept(next.card, { town: 'Voss' });
    expect(review.card?.question?.message).toContain('Check your answers.');
    const send = (review.card!.question!.fields[0] as { choices: { value: string }[] }).choices[0]!.value;
    expect(JSON.parse((await accept(review.card, { next: send })).text)).toEqual({
      from: { city: 'Bergen' },
      to: { town: 'Voss' },
    });
    await pair.close();
  });

  describe('in a host that shows no card', () => {
    const withPages = async (more: Pick<SceneOptions, 'handler'> = {}) => {
      const pages = connect({ name: 'Painter', reach: { kind: 'here', browser: false } });
      onTestFinished(() => pages.close());
      return scene({ options: { channels: ['native', 'card', 'page'], pages }, ...more });
    };
    const asks = async (call: Call) => (await call.elicit({ message: 'Which?', form: ['red', 'green'] })).action;

    it('the model is told to make the same call again only if no step of this one was done, which would be done twice', async () => {
      const again = "call 'paint' again with the same arguments after 20 seconds: you then get a link for them.";
      const stepped = (step: (call: Call) => Promise<unknown>) => async (call: Call) => {
        await step(call).catch(() => {});
        return asks(call);
      };
      const failing = (call: Call) => call.step('charge', () => Promise.reject(new Error('No answer.')));
      for (const [handler, says] of [
        [asks, again],
        [stepped(call => call.step('charge', () => 1)), 'this app cannot show it: tell them so.'],
        // It may have had an effect.
        [stepped(failing), 'this app cannot show it: tell them so.'],
      ] as const) {
        const { pair, paint } = await withPages({ handler });
        const { text } = await paint();
        expect(text.split('\n').at(-1)).toBe(`If they see no form, ${says}`);
        await pair.close();
      }
    });

    it('a host gets a link when the same call comes again, and no card has been reported for 20 seconds', async () => {
      const { pair, paint, later } = await withPages();
      expect((await paint()).card?.question).toBeDefined();
      later(19_000);
      expect((await paint()).card?.question).toBeDefined();
      later(1_000);
      const linked = await paint();
      expect(linked.card?.question).toBeUndefined();
      expect(linked.text).toMatch(/> http:\/\/127\.0\.0\.1:\d+\/\S+/);
      // Another call is another matter.
      expect((await paint('south')).card?.question).toBeDefined();
      await pair.close();
    });

    it('a host gets a card again if one was reported as shown', async () => {
      const { pair, paint, answer, later, ran } = await withPages();
      const { card } = await paint();
      expect(await answer(card?.ticket, { shown: true })).toMatchObject({ isError: false, text: 'Noted.' });
      later(30_000);
      expect((await paint()).card?.question).toBeDefined();
      // The report answers nothing.
      expect(ran).toEqual(['find', 'find']);
      expect((await answer(card?.ticket, { action: 'accept', content: { value: 'red' } })).text).toContain('is red');
      await pair.close();
    });

    it('the model is told that the form cannot be shown if there are no pages', async () => {
      const { pair, paint, later } = await scene();
      expect((await paint()).text).toContain('this app cannot show it: tell them so.');
      later(30_000);
      expect((await paint()).card?.question).toBeDefined();
      await pair.close();
    });
  });

  it('a model that says that it is done cannot make the call act', async () => {
    const { pair, call, paint, ran } = await scene({ options: { channels: ['native', 'card', 'relay'] } });
    const { card } = await paint();
    const accepts = { action: 'accept', content: { value: 'red' } };
    for (const ticket of ['', 'paint', 'ticket', card!.ticket.slice(0, -1), `${card!.ticket}x`]) {
      for (const tool of ['midcall_answer', 'resume']) {
        expect((await call(tool, { ticket, ...accepts })).isError).toBe(true);
        expect((await call(tool, { ticket })).isError).toBe(true);
      }
      expect((await call('midcall_answer', { ticket, shown: true })).isError).toBe(true);
    }
    // Not even the ticket itself opens by the tool that models have.
    expect((await call('resume', { ticket: card!.ticket, ...accepts })).text).toContain('unknown');
    expect(ran).toEqual(['find']);
    await pair.close();
  });

  it('the tool of the App gets no relayed question, whose answer it would make worth more', async () => {
    const relayed = await scene({
      options: { channels: ['relay', 'card'] },
      config: { annotations: { readOnlyHint: true } },
      handler: async call => {
        const given = await call.elicit({ message: 'Which?', form: String, channels: ['relay'] });
        return `${given.action} ${given.by.assurance}`;
      },
    });
    const ticket = /ticket "([^"]+)"/.exec((await relayed.paint()).text)?.[1];
    const accepts = { action: 'accept', content: { value: 'x' } };
    expect((await relayed.answer(ticket, accepts)).isError).toBe(true);
    expect((await relayed.call('resume', { ticket, ...accepts })).text).toBe('accept relayed');
    await relayed.pair.close();
  });

  it('the App gets the link of a page if the answer must be worth more than a card gives', async () => {
    // On stdio, the person is the user of the operating system.
    const issuer = carrier === 'http' ? 'https://id.example' : 'os';
    const signIn: SignIn = {
      issuer,
      principal: async () => undefined,
      begin: () => Promise.reject(new Error('Nobody opens this page.')),
      mount() {},
    };
    const pages = connect({ name: 'Painter', reach: { kind: 'here', browser: false }, signIn });
    onTestFinished(() => pages.close());
    const { pair, paint } = await scene({
      options: {
        channels: ['native', 'card', 'page'],
        pages,
        principal: () => ({ issuer: 'https://id.example', subject: 'ada' }),
      },
      handler: async call => {
        const given = await call.elicit({ message: 'Delete all?', form: Boolean, assurance: 'verified' });
        return given.action;
      },
    });
    const { text, card } = await paint();
    expect(card?.question).toBeUndefined();
    expect(card?.page).toMatchObject({ message: 'Delete all?', url: expect.stringMatching(/^http:/) });
    expect(text).toContain(card!.page!.url);
    await pair.close();
  });

  it('a task ends with the card, and goes on with its answer', async () => {
    const { pair, paint, answer, ran } = await scene({
      tasks: true,
      capabilities: { extensions: { ...apps.extensions, 'io.modelcontextprotocol/tasks': {} } },
      config: { task: 'always' },
    });
    const { text, isError, card } = await paint();
    expect({ text, isError }).toMatchObject({
      text: expect.stringMatching(/^It is not finished/),
      isError: false,
    });
    expect(ran).toEqual(['find']);
    expect((await answer(card?.ticket, { action: 'accept', content: { value: 'red' } })).text).toContain(
      'is red, card',
    );
    expect(ran).toEqual(['find', 'paint north red']);
    await pair.close();
  });

  it('an App that is loaded again is told whether its question was answered', async () => {
    const { pair, call, paint, answer } = await scene();
    const { card } = await paint();
    const shown = async () => {
      const result = await pair.client.callTool({
        name: 'midcall_answer',
        arguments: { ticket: card!.ticket, shown: true },
      });
      return result._meta?.['io.github.midcall/card'];
    };
    expect(await shown()).toEqual({ isAnswered: false, now: 1_000_000 });
    await answer(card?.ticket, { action: 'decline' });
    expect(await shown()).toEqual({ isAnswered: true, now: 1_000_000 });
    expect((await call('midcall_answer', { ticket: card!.ticket, action: 'cancel' })).isError).toBe(true);
    await pair.close();
  });

  it('a call that waits on a card is listed, and can be ended', async () => {
    const { mid, pair, paint, answer, ran } = await scene();
    const { card } = await paint();
    const waiting = await mid.calls();
    expect(waiting).toMatchObject([{ kind: 'ticket', waitsFor: 'card', name: 'paint' }]);
    expect(await mid.cancel(waiting[0]!.id)).toBe(true);
    expect((await answer(card?.ticket, { action: 'accept', content: { value: 'red' } })).isError).toBe(true);
    expect(ran).toEqual(['find']);
    await pair.close();
  });
});
