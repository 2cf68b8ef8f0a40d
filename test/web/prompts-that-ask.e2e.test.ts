/** Prompts and resources that ask their person on the desk, in both eras, with the forms posted as a browser would. */
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { few } from '../fixtures/soak.ts';
import { enter } from './client.ts';
import { stageOfFile, whenSo } from './stage.ts';

const file = fileURLToPath(new URL('../fixtures/asking-prompt-server.mjs', import.meta.url));
const eras = ['2025-11-25', '2026-07-28'] as const;

const on = await stageOfFile();
const visitor = await enter(on.desk);

const until = <T>(look: () => T | undefined): Promise<T> => whenSo(on.desk, look);

beforeAll(async () => {
  for (const era of eras) {
    const target = { kind: 'command' as const, command: process.execPath, args: [file, era] };
    await on.desk.workspace.servers.add({ id: era, target });
    await until(() => on.desk.workspace.servers.get(era)?.prompts.find(each => each.name === 'letter'));
    expect(on.desk.workspace.servers.get(era)?.era).toBe(era);
    await until(() => on.desk.workspace.servers.get(era)?.resources.find(each => each.name === 'drafts://one'));
  }
});

describe.each(few(eras, '2025-11-25'))('%s', era => {
  it.each([
    ['prompt', 'prompts/letter', 'A letter: '],
    ['resource', `resources/${encodeURIComponent('drafts://one')}`, 'A draft: '],
  ])('a %s is given once its question is answered, and told of a decline', async (_, place, text) => {
    for (const [fields, outcome] of [
      [{ action: 'accept', f0: '1' }, 'formal'],
      [{ action: 'decline' }, 'decline'],
    ] as const) {
      const answer = await visitor.post(`/servers/${era}/${place}`, {});
      const call = decodeURIComponent(String(answer.headers['location']).replace('/calls/', ''));
      const question = await until(() => on.inbox.list().find(each => each.call?.id === call));
      expect(question).toMatchObject({ kind: 'form', message: 'In which tone?' });
      await visitor.post(`/questions/${question.id}`, fields);
      await until(() => on.desk.workspace.calls.get(call)?.outcome);
      expect((await visitor.get(`/calls/${call}`)).text).toContain(`${text}${outcome}.`);
    }
  });
});
