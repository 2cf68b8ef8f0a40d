/** The test in docs/testing.md of a tool that asks on a page. */

// #region test
import { midcall } from '@midcall/server';
import { confirm, connect } from '@midcall/server/connect';
import { connectPair, eras, finishPage, type PersonRequest, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { z } from 'zod';

it.each(eras)('%s: wipes the folder when the person allows it on the page', async era => {
  const pages = connect({ name: 'Storage', reach: { kind: 'here', browser: false } });
  const mid = midcall({ pages });
  const onPage = async (asked: PersonRequest) => {
    await finishPage(asked);
    return { action: 'accept' };
  };
  const person = scriptedPerson([onPage]);
  const capabilities = { elicitation: { url: {} } };
  await using pair = await connectPair(() => storageServer(mid), { era, person, capabilities });

  const { content } = await pair.client.callTool({ name: 'wipe', arguments: { folder: 'old' } });

  expect(content).toMatchObject([{ text: 'Wiped old.' }]);
  await pages.close();
});
// #endregion

function storageServer(mid: ReturnType<typeof midcall>): McpServer {
  const server = new McpServer({ name: 'storage', version: '1.0.0' });
  mid.tool(server, 'wipe', { inputSchema: z.object({ folder: z.string() }) }, async ({ folder }, call) => {
    const answer = await call.elicitUrl({ message: 'This cannot be undone.', page: confirm() });
    return answer.action === 'accept' ? `Wiped ${folder}.` : 'Nothing was wiped.';
  });
  return server;
}
