/** The tools that the suite's scenarios of the tasks extension call. */
import type { Midcall } from '@midcall/server';
import { type McpServer, MissingRequiredClientCapabilityError } from '@modelcontextprotocol/server';
import { z } from 'zod';

const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

export function registerTasks(mid: Midcall, server: McpServer): void {
  mid.tool(
    server,
    'greet',
    { description: 'Greets.', inputSchema: z.object({ name: z.string() }), task: 'never' },
    ({ name }) => said(`Hello, ${name}!`),
  );
  mid.tool(
    server,
    'slow_compute',
    {
      description: 'Computes for a while.',
      inputSchema: z.object({ seconds: z.number(), label: z.string().optional() }),
      task: 'always',
    },
    async ({ seconds, label = '' }, call) => {
      await call.step('compute', async ({ signal }) => {
        await pause(seconds * 1000, signal);
        return null;
      });
      return said(`Computed ${label} for ${seconds} s.`);
    },
  );
  mid.tool(server, 'failing_job', { description: 'Fails.', task: 'required' }, async (_, call) => {
    await pause(1000, call.signal);
    return { ...said('It failed.'), isError: true };
  });
  mid.tool(server, 'protocol_error_job', { description: 'Cannot be served.', task: 'always' }, () => {
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } }, 'It needs a model.');
  });
  mid.tool(
    server,
    'confirm_delete',
    { description: 'Asks before it deletes.', inputSchema: z.object({ filename: z.string() }), task: 'always' },
    async ({ filename }, call) => {
      const answer = await call.elicit({ message: `Delete ${filename}?`, form: { confirm: Boolean } });
      return said(
        answer.action === 'accept' && answer.content.confirm ? `Deleted ${filename}.` : 'Nothing was deleted.',
      );
    },
  );
  mid.tool(server, 'multi_input', { description: 'Asks two things at once.', task: 'always' }, async (_, call) => {
    const [name, confirm] = await Promise.all([
      call.elicit({ message: 'What is your name?', form: { name: String, confirm: Boolean } }),
      call.elicit({ message: 'Are you sure?', form: { name: String, confirm: Boolean } }),
    ]);
    return said(`${name.action}, ${confirm.action}`);
  });
  mid.tool(server, 'test_tool_with_task', { description: 'Asks first, then works.' }, async (_, call) => {
    const answer = await call.elicit({ message: 'What is your name?', key: 'user_name', form: { name: String } });
    await call.step('work', async ({ signal }) => {
      await pause(1000, signal);
      return null;
    });
    return said(`Worked for ${answer.action === 'accept' ? answer.content.name : 'nobody'}.`);
  });
}
