/** `demonstrate_elicit`: four kinds of question, one after the other. */
import type { Answer, Call } from '@midcall/server';
import { z } from 'zod';
import { reply } from './reply.ts';

const outcome = z.object({ action: z.string(), answer: z.union([z.boolean(), z.string(), z.number()]).optional() });

export const demonstrateConfig = {
  title: 'Demonstrate elicitation',
  description: 'Shows the person four kinds of question, and gives back what they answered.',
  inputSchema: z.strictObject({}),
  outputSchema: z.object({
    success: z.boolean(),
    error: z.string().optional(),
    patterns_demonstrated: z.array(z.string()).optional(),
    results: z.record(z.string(), outcome).optional(),
  }),
  annotations: { readOnlyHint: true, openWorldHint: false },
};

// #region demonstrate
export async function demonstrate(_args: object, call: Call) {
  if (!call.can.form)
    return reply({ success: false, error: 'Elicitation is not available: this client shows no forms.' });
  const results = {
    confirmation: said(await call.elicit({ message: 'Would you like to go on?', form: Boolean })),
    choice: said(await call.elicit({ message: 'Which priority?', form: ['low', 'medium', 'high', 'critical'] })),
    text: said(await call.elicit({ message: 'What should the task be called?', form: String })),
    number: said(
      await call.elicit({
        message: 'How urgent is it, from 1 to 10?',
        form: { type: 'integer', minimum: 1, maximum: 10 },
      }),
    ),
  };
  return reply({ success: true, patterns_demonstrated: Object.keys(results), results });
}
// #endregion

const said = (answer: Answer<unknown>) =>
  answer.action === 'accept' ? { action: answer.action, answer: answer.content } : { action: answer.action };
