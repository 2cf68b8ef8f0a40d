import { isMidcallError } from '@midcall/core/errors';
import { answerToolUse, samplingTool, type ToolUseContent } from '@midcall/core/sampling';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const { signal } = new AbortController();
const use = (input: Record<string, unknown>, name = 'add'): ToolUseContent => ({
  type: 'tool_use',
  id: 'u1',
  name,
  input,
});

const add = samplingTool({
  name: 'add',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number().default(1) }),
  run: ({ a, b }) => String(a + b),
});

describe('a tool for the model', () => {
  it('sampling-33: a tool for the model offers its name, description and JSON schema', () => {
    expect(add.definition).toEqual({
      name: 'add',
      description: 'Adds two numbers.',
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number', default: 1 } },
        required: ['a'],
      },
    });
  });

  it.each([
    ['Zod', z.object({ n: z.number() })],
    ['ArkType', type({ n: 'number' })],
    ['Valibot', toStandardJsonSchema(v.object({ n: v.number() }))],
  ])('a tool for the model takes %s, and gives its types to run', async (_, input) => {
    const tool = samplingTool({ name: 'double', description: '', input, run: ({ n }) => `${n.toFixed(0)} ${n * 2}` });
    expect(await tool.answer(use({ n: 2 }, 'double'), { signal })).toMatchObject({ content: [{ text: '2 4' }] });
    expect((await tool.answer(use({ n: 'two' }, 'double'), { signal })).isError).toBe(true);
  });

  it('a tool for the model gives run what the schema makes of the arguments', async () => {
    expect(await add.answer(use({ a: 2 }), { signal })).toEqual({
      type: 'tool_result',
      toolUseId: 'u1',
      content: [{ type: 'text', text: '3' }],
    });
  });

  it('a tool for the model answers arguments that break the schema with the issues, and does not run', async () => {
    let runs = 0;
    const tool = samplingTool({
      name: 'add',
      description: '',
      input: z.object({ list: z.array(z.object({ n: z.number() })) }),
      run: () => `${++runs}`,
    });
    const result = await tool.answer(use({ list: [{ n: 'one' }] }), { signal });
    expect(result.isError).toBe(true);
    expect(result.content).toEqual([
      {
        type: 'text',
        text: 'The arguments for add were not accepted:\n- list.0.n: Invalid input: expected number, received string',
      },
    ]);
    expect(runs).toBe(0);
  });

  it('sampling-105: a tool for the model answers a throw with an error result', async () => {
    const failing = (error: unknown) =>
      samplingTool({
        name: 'add',
        description: '',
        input: z.object({}),
        run: () => {
          throw error;
        },
      }).answer(use({}), { signal });
    expect(await failing(new Error('the disk is full.'))).toMatchObject({
      isError: true,
      content: [{ text: 'The tool add failed: the disk is full.' }],
    });
    expect(await failing('odd')).toMatchObject({ content: [{ text: 'The tool add failed: it gave no reason.' }] });
  });

  it('a tool for the model answers an output that cannot be sent with an error result', async () => {
    const odd = (output: never) =>
      samplingTool({ name: 'add', description: '', input: z.object({}), run: () => output }).answer(use({}), {
        signal,
      });
    for (const output of [undefined, [{ type: 'image', data: '?', mimeType: 'image/png' }], { content: 1 }, 7])
      expect((await odd(output as never)).isError).toBe(true);
  });

  it('sampling-106: a tool for the model hands structured content on beside the blocks', async () => {
    const tool = samplingTool({
      name: 'add',
      description: '',
      input: z.object({}),
      run: () => ({ content: [{ type: 'text', text: '2' }], structuredContent: { sum: 2 } }),
    });
    expect(await tool.answer(use({}), { signal })).toMatchObject({ structuredContent: { sum: 2 } });
  });

  it.each([
    ['Zod', z.object({ sum: z.number() })],
    ['ArkType', type({ sum: 'number' })],
    ['Valibot', toStandardJsonSchema(v.object({ sum: v.number() }))],
  ])('sampling-106: a tool for the model keeps structured content to the output schema, %s', async (_, output) => {
    const giving = (structuredContent: unknown, isError = false) =>
      samplingTool({
        name: 'add',
        description: '',
        input: z.object({}),
        output,
        run: () => ({ content: [{ type: 'text', text: 'It is done.' }], structuredContent, isError }),
      });
    expect(giving({}).definition.outputSchema).toMatchObject({
      type: 'object',
      properties: { sum: { type: 'number' } },
      required: ['sum'],
    });
    expect(await giving({ sum: 2 }).answer(use({}), { signal })).toMatchObject({ structuredContent: { sum: 2 } });
    for (const bad of [{ sum: 'two' }, {}, undefined]) {
      const result = await giving(bad).answer(use({}), { signal });
      expect(result).toMatchObject({
        isError: true,
        content: [
          { text: expect.stringContaining('The tool add gave structured content that breaks its output schema:') },
        ],
      });
      expect(result).not.toHaveProperty('structuredContent');
    }
    expect(await giving(undefined, true).answer(use({}), { signal })).toMatchObject({
      isError: true,
      content: [{ text: 'It is done.' }],
    });
  });

  it('a use of an unknown name is answered with the known ones', async () => {
    expect(await answerToolUse([add], use({}, 'sub\u202etract'), { signal })).toMatchObject({
      isError: true,
      content: [{ text: 'There is no tool called "sub\uFFFDtract". The tools are: add.' }],
    });
  });

  it('a tool that was stopped meanwhile rejects with the signal’s reason', async () => {
    const stop = new AbortController();
    const tool = samplingTool({
      name: 'add',
      description: '',
      input: z.object({}),
      run: (_, context) => {
        stop.abort(new Error('The person stopped it.'));
        context.signal.throwIfAborted();
        return '';
      },
    });
    await expect(tool.answer(use({}), { signal: stop.signal })).rejects.toThrow('The person stopped it.');
  });

  it.each([
    ['a name no provider takes', 'get weather', z.object({}), 'tool name'],
    ['a schema that is no object', 'list', z.array(z.string()), 'must describe an object'],
    ['a schema without JSON Schema', 'valibot', v.object({}) as never, '@valibot/to-json-schema'],
  ])('a tool for the model cannot be made with %s', (_, name, input, message) => {
    const make = () => samplingTool({ name, description: '', input, run: () => '' });
    expect(make).toThrow(message);
    try {
      make();
    } catch (error) {
      expect(isMidcallError(error, 'sampling/invalid')).toBe(true);
    }
  });
});
