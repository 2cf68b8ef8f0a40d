/**
 * A server whose calls work until the test lets them: `work-server.mjs <control> stdio|http`. Over HTTP it writes its address. Each
 * call says to the test that it has begun, and does its work once the test answers.
 */
import { midcall } from '@midcall/server';
import { serveHttp, serveStdio } from '@midcall/server/node';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const [control, carrier, within] = process.argv.slice(2);
const mid = midcall();
const text = words => ({ content: [{ type: 'text', text: words }] });
const released = name => fetch(`${control}${name}`).then(response => response.text());
const inputSchema = z.object({ n: z.string() });

function server() {
  const made = new McpServer({ name: 'work', version: '1.0.0' });
  mid.wrap(made);
  mid.tool(made, 'work', { inputSchema }, async ({ n }, call) => {
    await call.step('prepare', () => n);
    await call.step('commit', () => released(n));
    return `done ${n}`;
  });
  mid.tool(made, 'ask', { inputSchema }, async ({ n }, call) => {
    await call.step('prepare', () => n);
    void released(n);
    const answer = await call.elicit({ message: 'Go on?', form: Boolean });
    return `answered ${answer.action}`;
  });
  mid.tool(made, 'echo', { inputSchema }, ({ n }) => `echo ${n}`);
  made.registerTool('plain', { inputSchema }, async ({ n }) => text(`plain ${await released(n)}`));
  return made;
}

const serving = carrier === 'http' ? await serveHttp(server) : serveStdio(server);
const options = within === undefined ? {} : { within: Number(within) };
process.once('SIGTERM', () => serving.stop(options).finally(() => process.exit()));
if (carrier === 'http') process.stdout.write(`${serving.url}\n`);
