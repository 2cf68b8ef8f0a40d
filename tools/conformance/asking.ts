/** The part of the fixture that asks: with our library, and with plain SDK handlers where the suite wants what we refuse. */

import type { Midcall } from '@midcall/server';
import { inputRequired, inputResponse, type McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { words } from './plain.ts';

const capital = {
  messages: [{ role: 'user', content: { type: 'text', text: 'What is the capital of France?' } }],
  maxTokens: 100,
} as const;

export function registerAsking(mid: Midcall, server: McpServer): void {
  registerQuestions(mid, server);
  registerRounds(mid, server);
  registerRefused(server);
}

/** Questions in either era. */
function registerQuestions(mid: Midcall, server: McpServer): void {
  mid.tool(
    server,
    'test_elicitation',
    { description: 'Asks for a name and an address.', inputSchema: z.object({ message: z.string() }) },
    async ({ message }, call) => {
      const answer = await call.elicit({ message, form: { username: String, email: String } });
      return words(`User response: action=${answer.action}, content=${said(answer)}`);
    },
  );
  mid.tool(server, 'test_elicitation_sep1034_defaults', { description: 'Asks with defaults.' }, async (_, call) => {
    const answer = await call.elicit({
      message: 'Please review and update the form fields with defaults',
      form: {
        type: 'object',
        properties: {
          name: { type: 'string', default: 'John Doe' },
          age: { type: 'integer', default: 30 },
          score: { type: 'number', default: 95.5 },
          status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
          verified: { type: 'boolean', default: true },
        },
      },
    });
    return words(`Elicitation completed: action=${answer.action}, content=${said(answer)}`);
  });
  mid.tool(
    server,
    'test_sampling',
    { description: 'Asks the model.', inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, call) => {
      const messages = [{ role: 'user', content: { type: 'text', text: prompt } }] as const;
      const reply = await call.sample({ messages, maxTokens: 100 });
      return words(`LLM response: ${JSON.stringify(reply.content)}`);
    },
  );
}

/** Rounds of 2026-07-28; the keys the suite looks for are given with the question. */
function registerRounds(mid: Midcall, server: McpServer): void {
  const description = 'Asks through input_required.';
  const confirm = { message: 'Go on?', form: { ok: Boolean }, key: 'confirm' } as const;
  mid.tool(server, 'test_input_required_result_sampling', { description }, async (_, call) => {
    const reply = await call.sample(capital);
    return words(`Sampling response: ${JSON.stringify(reply.content)}`);
  });
  mid.tool(server, 'test_input_required_result_list_roots', { description }, async (_, call) => {
    const roots = (await call.roots()) ?? [];
    return words(`Roots: ${roots.map(root => root.uri).join(', ')}`);
  });
  for (const name of ['test_input_required_result_request_state', 'test_input_required_result_tampered_state']) {
    mid.tool(server, name, { description }, async (_, call) => {
      const answer = await call.elicit(confirm);
      return words(`state-ok: ${answer.action}`);
    });
  }
  mid.tool(server, 'test_input_required_result_multiple_inputs', { description }, async (_, call) => {
    const [name, greeting, roots] = await Promise.all([
      call.elicit({ message: 'What is your name?', form: { name: String }, key: 'user_name' }),
      call.sample({ ...capital, maxTokens: 50 }),
      call.roots(),
    ]);
    return words(`${name.action}, ${JSON.stringify(greeting.content)}, ${roots?.length ?? 0} roots`);
  });
  mid.tool(server, 'test_input_required_result_multi_round', { description }, async (_, call) => {
    const first = await call.elicit({ message: 'What is your name?', form: { name: String }, key: 'step1' });
    const second = await call.elicit({ message: 'Which color?', form: { color: String }, key: 'step2' });
    return words(`${first.action}, then ${second.action}`);
  });
  mid.tool(server, 'test_input_required_result_capabilities', { description }, async (_, call) => {
    if (!call.can.form) return words(`Sampled: ${JSON.stringify((await call.sample(capital)).content)}`);
    return words(`Asked: ${(await call.elicit(confirm)).action}`);
  });
  mid.prompt(server, 'test_input_required_result_prompt', { description }, async (_, call) => {
    const answer = await call.elicit({ message: 'What is it about?', form: { context: String }, key: 'user_context' });
    const about = answer.action === 'accept' ? answer.content.context : 'nothing in particular';
    return { messages: [{ role: 'user', content: { type: 'text', text: `This is about ${about}.` } }] };
  });
}

/** What our library refuses to do, done by hand because the suite asks for it. */
function registerRefused(server: McpServer): void {
  const question = inputRequired.elicit({
    message: 'What is your name?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  });
  // `input-required-result-ignore-extra-params` brings an answer with the first call, without any state, and wants it
  // taken. Ours takes no answer it has not asked for: nothing would bind it to this call.
  server.registerTool('test_input_required_result_elicitation', { description: 'Asks for a name.' }, ctx => {
    const answer = inputResponse(ctx.mcpReq.inputResponses, 'user_name');
    const name = answer.kind === 'elicit' && answer.action === 'accept' ? answer.content?.['name'] : undefined;
    if (typeof name !== 'string') return inputRequired({ inputRequests: { user_name: question } });
    return words(`Hello, ${name}!`);
  });
  // `server-stateless` wants -32021 for sampling; ours says of a missing model what the handler can do about it, and
  // raises -32021 for questions marked `required` only.
  server.registerTool('test_missing_capability', { description: 'Cannot go on without a model.' }, () =>
    inputRequired({
      inputRequests: { capital_question: inputRequired.createMessage({ ...capital, messages: [...capital.messages] }) },
    }),
  );
  // `elicitation-sep1330-enums` wants `enumNames` sent. Ours reads it and sends `oneOf`, which says the same by the
  // current schema; `enumNames` is deprecated (2025-11-25, schema.json, `LegacyTitledEnumSchema`).
  server.registerTool('test_elicitation_sep1330_enums', { description: 'Asks for choices.' }, async ctx => {
    const titled = ['value1', 'value2', 'value3'].map((value, index) => ({
      const: value,
      title: `Option ${index + 1}`,
    }));
    const options = ['option1', 'option2', 'option3'];
    const answer = await ctx.mcpReq.elicitInput({
      message: 'Choose',
      requestedSchema: {
        type: 'object',
        properties: {
          untitledSingle: { type: 'string', enum: options },
          titledSingle: { type: 'string', oneOf: titled },
          legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
          untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
          titledMulti: { type: 'array', items: { anyOf: titled } },
        },
      },
    });
    return words(`Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content)}`);
  });
}

const said = (answer: { readonly action: string; readonly content?: unknown }): string =>
  JSON.stringify(answer.content ?? null);
