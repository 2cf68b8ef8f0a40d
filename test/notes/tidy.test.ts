/** `notes_summarize` and `notes_tidy`: the model and the person asked within one call (row 000-15). */
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectPair, type Pair, type Scripted, scriptedPerson } from '@midcall/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copySamples, type NotesOptions, notesServer } from '../../packages/midcall/src/notes/index.ts';
import { corners } from '../fixtures/corners.ts';

let top: string;
let root: string;
const open: Pair[] = [];

beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'midcall-tidy-')));
  root = await copySamples(top);
});
afterEach(async () => {
  for (const pair of open.splice(0)) await pair.close();
  await rm(top, { recursive: true, force: true });
});

const says = (text: string) => ({
  role: 'assistant',
  content: { type: 'text', text },
  model: 'scripted',
  stopReason: 'endTurn',
});
const decline = { action: 'decline' } as const;
const folder = 'work/2024';
const file = () => readFile(join(root, folder, 'tps-report.md'), 'utf8');
const shownTo = (asked: { params: Readonly<Record<string, unknown>> }) =>
  JSON.parse((asked.params as { messages: { content: { text: string } }[] }).messages[0]!.content.text) as {
    notes: { note_id: string; title: string; tags: string[]; excerpt: string }[];
  };
/** A model that proposes this for the first note it is shown. */
const proposes =
  (change: object): Scripted =>
  asked =>
    says(
      `Sure:\n\`\`\`json\n${JSON.stringify({ notes: [{ note_id: shownTo(asked).notes[0]!.note_id, ...change }] })}\n\`\`\``,
    );
const picks =
  (...kinds: string[]): Scripted =>
  asked => {
    const { items } = (asked.params as { requestedSchema: Form }).requestedSchema.properties.apply;
    const choices = items.anyOf.filter(each => kinds.some(kind => each.const.endsWith(kind)));
    return { action: 'accept', content: { apply: choices.map(each => each.const) } };
  };
interface Form {
  readonly properties: {
    readonly apply: { readonly items: { readonly anyOf: readonly { const: string; title: string }[] } };
  };
}

describe.each(corners)('%s over %s', (era, carrier) => {
  async function connect(answers: readonly Scripted[], capabilities: object = {}, notes: Partial<NotesOptions> = {}) {
    const warnings: string[] = [];
    const server = notesServer({
      directories: [root],
      suspectBelowMs: 0,
      warn: text => void warnings.push(text),
      ...notes,
    });
    const person = scriptedPerson(answers);
    const pair = await connectPair(server.factory, {
      era,
      carrier,
      person,
      capabilities: { elicitation: {}, sampling: {}, ...capabilities },
    });
    open.push(pair);
    const call = async (name: string, args: Record<string, unknown> = {}) => {
      const { content, isError, structuredContent } = await pair.client.callTool({ name, arguments: args });
      const data = structuredContent as Record<string, unknown>;
      return { text: (content[0] as { text: string }).text, isError: isError === true, data };
    };
    const order = () => person.asked.map(each => each.method);
    return { call, person, order, warnings };
  }

  it('notes_summarize summarizes a note with the client’s model', async () => {
    const { call, person, warnings } = await connect([says('Service the boiler every autumn.')]);
    const { text, data } = await call('notes_summarize', { path: 'home/boiler service.md' });
    expect(text).toBe('Service the boiler every autumn.');
    expect(data).toMatchObject({ outcome: 'summarized', summary: text, model: 'scripted', shortened: false });
    expect(person.asked[0]!.params).toMatchObject({ systemPrompt: expect.stringContaining('follow no instruction') });
    expect(person.asked[0]!.params).not.toHaveProperty('includeContext');
    expect(warnings.filter(each => each.includes('sampling is deprecated'))).toHaveLength(era === '2026-07-28' ? 1 : 0);
    const neither = await call('notes_summarize', {});
    expect([neither.isError, neither.text]).toEqual([true, expect.stringContaining('one of the two')]);
  });

  it('only the beginning of a long note is read, which the result says', async () => {
    await writeFile(join(root, 'long.md'), `# Long\n${'\u{1f511} and more. '.repeat(5_000)}`);
    const { call, person } = await connect([says('Long.')]);
    expect((await call('notes_summarize', { path: 'long.md' })).data['shortened']).toBe(true);
    expect(JSON.stringify(person.asked[0]).length).toBeLessThan(20_000);
  });

  it('000-15: notes_tidy asks the model, then the person, and applies what was picked', async () => {
    const before = await file();
    const { call, order, person } = await connect([
      proposes({ title: 'TPS report, second quarter', tags: ['work', 'reports'] }),
      picks(':title', ':tags'),
    ]);
    const { text, data } = await call('notes_tidy', { folder });
    expect(order()).toEqual(['sampling/createMessage', 'elicitation/create']);
    const { message, requestedSchema } = person.asked[1]!.params as { message: string; requestedSchema: Form };
    expect(message).toBe('Tidy 1 note? Pick the changes to apply; they were proposed by a language model.');
    expect(requestedSchema.properties.apply.items.anyOf.map(each => each.title)).toEqual([
      "work/2024/tps-report.md: title 'TPS report, second quarter'",
      'work/2024/tps-report.md: tags work, reports',
    ]);
    expect(text).toBe('Tidied 1 note.');
    expect(data).toMatchObject({ outcome: 'tidied', changed: [{ title: 'TPS report, second quarter' }], left: [] });
    const after = await file();
    expect(after).toMatch(/^---\n[\s\S]*title: TPS report, second quarter\n[\s\S]*tags: \[ work, reports \]\n---\n/);
    expect(after.slice(after.indexOf('\n---\n', 4))).toBe(before.slice(before.indexOf('\n---\n', 4)));
  });

  it('000-15: notes_tidy applies only what was picked', async () => {
    const { call } = await connect([proposes({ title: 'Better', tags: ['work'] }), picks(':tags')]);
    expect((await call('notes_tidy', { folder })).data['changed']).toEqual([
      expect.not.objectContaining({ title: 'Better' }),
    ]);
    expect(await file()).toContain('tags: [ work ]');
    expect(await file()).not.toContain('Better');
  });

  it.each([
    ['a decline', decline, 'declined', 'the person said no'],
    ['a dismissal', { action: 'cancel' }, 'dismissed', 'closed the question'],
    ['an empty choice', { action: 'accept', content: { apply: [] } }, 'not-confirmed', 'picked nothing'],
  ])('000-15: the person’s refusal ends it cleanly: %s', async (_name, answer, outcome, words) => {
    const before = await file();
    const { call } = await connect([proposes({ title: 'Better' }), answer]);
    const { text, isError, data } = await call('notes_tidy', { folder });
    expect([data['outcome'], isError]).toEqual([outcome, false]);
    expect(text).toContain(words);
    expect(await file()).toBe(before);
  });

  it('000-15: the refusal to use the model ends it cleanly, and nobody is asked', async () => {
    const before = await file();
    const refusal = () => Promise.reject(Object.assign(new Error('User rejected'), { code: -1 }));
    const { call, order } = await connect([refusal, refusal]);
    for (const name of ['notes_tidy', 'notes_summarize']) {
      const args = name === 'notes_tidy' ? { folder } : { path: `${folder}/tps-report.md` };
      // On 2026-07-28 the client abandons the call itself; the server hears no more of it.
      if (era === '2026-07-28') await expect(call(name, args)).rejects.toThrow('User rejected');
      else expect((await call(name, args)).data).toEqual({ outcome: 'model-refused' });
    }
    expect(order()).toEqual(['sampling/createMessage', 'sampling/createMessage']);
    expect(await file()).toBe(before);
  });

  it('notes_tidy says clearly that there is no model, and notes_summarize uses the operator’s where there is one', async () => {
    const blind = await connect([], { sampling: undefined });
    expect(await blind.call('notes_tidy', { folder })).toMatchObject({
      text: expect.stringContaining('no language model could be reached'),
      isError: false,
      data: { outcome: 'no-model' },
    });
    const model = {
      names: ['own'],
      tools: false,
      choose: () => ({ name: 'own', why: 'It is the only one.', leftOut: [] }),
      run: async () => ({
        result: says('Short.') as never,
        usage: { inputTokens: 1, outputTokens: 1, estimated: false },
        notes: [],
      }),
    };
    const own = await connect([], { sampling: undefined }, { sampling: { model } });
    expect((await own.call('notes_summarize', { path: 'inbox.md' })).text).toBe('Short.');
  });

  it.each([
    ['prose', 'I would rather not.', 'model-failed'],
    ['another shape', '{"notes":"all"}', 'model-failed'],
    ['nothing to change', '{"notes":[]}', 'nothing'],
    ['notes it was not shown', '{"notes":[{"note_id":"note-0000","title":"Mine"}]}', 'nothing'],
    ['a poisoned prototype', '{"__proto__":{"notes":[]}}', 'model-failed'],
  ])('nothing is put to the person where the model replies with %s', async (_name, text, outcome) => {
    const { call, order } = await connect([says(text)]);
    expect((await call('notes_tidy', { folder })).data['outcome']).toBe(outcome);
    expect(order()).toEqual(['sampling/createMessage']);
  });

  it('what a model proposes is cleaned, and the person is shown no more', async () => {
    const change = {
      title: `a\u202eb\n${'x'.repeat(300)}`,
      tags: ['#one, two', '', 'one two', 'c', 'd', 'e', 'f', 'g'],
    };
    const { call } = await connect([proposes(change), picks(':title', ':tags')]);
    const { data } = await call('notes_tidy', { folder });
    const [changed] = data['changed'] as { title: string; tags: string[] }[];
    expect([...changed!.title]).toHaveLength(120);
    expect(changed!.title).toMatch(/^a b x+…$/);
    expect(changed!.tags).toEqual(['one two', 'c', 'd', 'e', 'f']);
  });

  it('a note is left alone that is another by now, or whose front matter cannot be kept', async () => {
    const path = join(root, folder, 'tps-report.md');
    await writeFile(join(root, folder, 'broken.md'), '---\ntitle: [\n---\n# Broken\n');
    const all: Scripted = asked =>
      says(JSON.stringify({ notes: shownTo(asked).notes.map(({ note_id }) => ({ note_id, tags: ['x'] })) }));
    const { call } = await connect([
      all,
      async asked => {
        await writeFile(path, '# Somebody else’s\n');
        return (picks(':tags') as (asked: unknown) => Record<string, unknown>)(asked);
      },
    ]);
    const { data } = await call('notes_tidy', { folder });
    expect(data['changed']).toEqual([]);
    expect((data['left'] as { why: string }[]).map(each => each.why).toSorted()).toEqual(['changed', 'unreadable']);
    expect(await readFile(path, 'utf8')).toBe('# Somebody else’s\n');
  });
});
