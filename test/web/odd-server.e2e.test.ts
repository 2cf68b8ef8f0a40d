/** The desk before a server that lacks lists it declares, and gives what the protocol does not have. */
import { describe, expect, it } from 'vitest';
import { oddCommand } from '../fixtures/odd-server.ts';
import { enter } from './client.ts';
import { stageOfFile, whenSo } from './stage.ts';

const on = await stageOfFile();
const visitor = await enter(on.desk);

describe.each(['2025-11-25', '2026-07-28'])('%s', era => {
  const add = async (id: string, ...lacking: string[]): Promise<void> => {
    const [command, ...args] = oddCommand(era, ...lacking);
    const target = { kind: 'command' as const, command, args };
    await on.desk.workspace.servers.add({ id, target });
    await whenSo(on.desk, () => on.desk.workspace.servers.get(id)?.state === 'ready' || undefined);
  };

  it('the desk shows the tools of a server whose other lists cannot be read, and says which cannot', async () => {
    const id = `lacking-${era}`;
    await add(id, 'prompts/list', 'resources/list');
    const said = (list: string) =>
      `The ${list} could not be listed: the server declares ${list} but does not implement the list.`;
    expect((await visitor.get('/')).text).toContain(said('prompts'));
    const { text } = await visitor.get(`/servers/${id}`);
    expect(text).toContain(`/servers/${id}/tools/odd`);
    for (const list of ['prompts', 'resources']) expect(text).toContain(said(list));
    expect(text).not.toContain('The tools could not be listed');
  });

  it('the desk says that the tools cannot be listed, in place of that there are none', async () => {
    const id = `toolless-${era}`;
    await add(id, 'tools/list');
    const { text } = await visitor.get(`/servers/${id}`);
    expect(text).toContain('The tools could not be listed: the server declares tools but does not implement the list.');
    expect(text).not.toContain('This server has no tools.');
    expect(text).toContain(`/servers/${id}/prompts/p`);
  });

  it('the desk shows a part of an unknown kind as it was sent', async () => {
    const id = `odd-${era}`;
    await add(id);
    for (const place of ['tools/odd', 'prompts/p']) {
      const call = String((await visitor.post(`/servers/${id}/${place}`, {})).headers['location']);
      await whenSo(on.desk, () => on.desk.workspace.calls.get(call.replace('/calls/', ''))?.outcome);
      const { text } = await visitor.get(call);
      expect(text).toContain('Content of the unknown type “hologram”, as it was sent:');
      expect(text).toContain('&quot;depth&quot;: 3');
    }
  });
});
