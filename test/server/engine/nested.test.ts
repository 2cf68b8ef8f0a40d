/** What may not begin inside something else: asks in the function of a step, and anything in what `defer` was given. */
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { samplingTool, textOf } from '@midcall/core/sampling';
import { type AuditEvent, type Call, midcall } from '@midcall/server';
import { confirm, connect as pagesOf } from '@midcall/server/connect';
import { connectPair, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { corners } from '../../fixtures/corners.ts';

const says = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const turn = () => new Promise<void>(resolve => setImmediate(resolve));
const yes = { action: 'accept', content: { value: true } } as const;
const hello = { messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }], maxTokens: 100 } as const;
const toolThat = (run: () => Promise<string>) =>
  samplingTool({ name: 'ask', description: 'Asks.', input: z.object({}), run });
const sure = { message: 'Sure?', form: Boolean } as const;

describe.each(corners)('%s over %s', (era, carrier) => {
  async function act(handler: (call: Call) => Promise<string>, answers: readonly object[] = []) {
    const events: AuditEvent[] = [];
    const warnings: string[] = [];
    const mid = midcall({
      suspectBelowMs: 0,
      warn: text => void warnings.push(text),
      audit: event => events.push(event),
      sampling: { askWhereDeprecated: true },
      roots: { ceiling: [tmpdir()], askWhereDeprecated: true },
      pages: pagesOf({ name: 'Test' }),
    });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'act', {}, async (_, call) => says(await handler(call)));
      return server;
    };
    const capabilities = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };
    const person = scriptedPerson(answers as never, { roots: () => [{ uri: pathToFileURL(tmpdir()).href }] });
    await using pair = await connectPair(factory, { era, carrier, person, capabilities });
    const result = await pair.client.callTool({ name: 'act' });
    await mid.stop();
    const text = (result.content[0] as { text: string }).text;
    return { text, isError: result.isError ?? false, asked: person.asked, events, warnings };
  }

  const asks: Readonly<Record<string, (call: Call) => Promise<unknown>>> = {
    elicit: call => call.elicit(sure),
    elicitUrl: call => call.elicitUrl({ message: 'Sure?', page: confirm() }),
    sample: call => call.sample(hello),
    sampleWithTools: call => call.sampleWithTools({ ...hello, tools: [toolThat(async () => 'ran')] }),
    step: call => call.step('inner', () => 1),
  };

  it.each(Object.keys(asks))('%s in a step, after an await, fails the step and asks nobody', async name => {
    const { text, isError, asked, events } = await act(async call => {
      await call.step('outer', async () => {
        await turn();
        await asks[name]!(call);
      });
      return 'went on';
    });
    expect({ text, isError }).toEqual({ isError: true, text: expect.stringContaining("The function of step 'outer'") });
    expect(text).toContain('ask first');
    expect(asked).toEqual([]);
    expect(events.map(event => event.kind)).toEqual(['step-begun', 'step-ended', 'ended']);
  });

  it('a step that was refused may be caught, and the question put as it should be', async () => {
    const { text, asked } = await act(
      async call => {
        const wrong = await call
          .step('outer', async () => {
            await turn();
            return (await call.elicit(sure)).action;
          })
          .catch((error: Error & { code?: string }) => error.code);
        return `${wrong}, ${(await call.elicit(sure)).action}`;
      },
      [yes],
    );
    expect(text).toBe('ask/nested, accept');
    expect(asked).toHaveLength(1);
  });

  it('a question beside a step is put when the step has ended', async () => {
    const { text, asked } = await act(
      async call => {
        const both = await Promise.all([
          call.elicit(sure),
          call.step('beside', async () => {
            for (let n = 0; n < 5; n++) await turn();
            return 'worked';
          }),
        ]);
        return `${both[0].action}, ${both[1]}`;
      },
      [yes],
    );
    expect(text).toBe('accept, worked');
    expect(asked).toHaveLength(1);
  });

  it('the tool of a tool loop may not ask either: the model is told that it failed', async () => {
    const { text, asked } = await act(
      async call => {
        const tools = [toolThat(async () => (await call.elicit(sure)).action)];
        const { messages, result } = await call.sampleWithTools({ ...hello, tools });
        return `${textOf(result)} ${JSON.stringify(messages)}`;
      },
      [
        {
          role: 'assistant',
          content: { type: 'tool_use', id: '1', name: 'ask', input: {} },
          model: 'm',
          stopReason: 'toolUse',
        },
        { role: 'assistant', content: { type: 'text', text: 'Sorry' }, model: 'm', stopReason: 'endTurn' },
      ],
    );
    expect(text).toMatch(/^Sorry .*"isError":true/);
    expect(text).toContain("called for elicit 'Sure?'");
    expect(asked.map(each => each.method)).toEqual(['sampling/createMessage', 'sampling/createMessage']);
  });

  it('files may be opened in a step once the roots are known; before that only where nobody need be asked', async () => {
    const open = async (call: Call) => call.step('open', async () => (await call.files()).roots.length);
    expect(await act(async call => `${(await call.files()).roots.length} ${await open(call)}`)).toMatchObject({
      text: '1 1',
    });
    const refused = await act(async call => `${await open(call).catch((error: { code?: string }) => error.code)}`);
    expect(refused).toMatchObject({ text: era === '2026-07-28' ? 'ask/nested' : '1', isError: false });
  });

  it('a function given to defer cannot start anything of the call, which ends all the same and says so', async () => {
    const { text, asked, warnings } = await act(async call => {
      call.defer(async () => {
        await turn();
        await call.step('clean up', () => 1);
      });
      call.defer(async () => {
        await call.elicit(sure);
      });
      return 'done';
    });
    expect(text).toBe('done');
    expect(asked).toEqual([]);
    expect(warnings.filter(each => each.includes('call.defer'))).toHaveLength(2);
  });
});
