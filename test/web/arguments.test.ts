/** Arguments as a form with rows, or as JSON, both ways; and earlier values offered again. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { argumentFields } from '../../packages/host/src/web/form/argument-form.ts';
import { contentOf, draftFrom, draftOf } from '../../packages/host/src/web/form/draft.ts';
import { fittingDraft, isJson, readJson, toForm, toJson } from '../../packages/host/src/web/form/json-arguments.ts';
import { earlierValues } from '../../packages/host/src/web/workspace/earlier-values.ts';
import type { CallView } from '../../packages/host/src/web/workspace/views.ts';
import { enter } from './client.ts';
import { stageOfFile, whenSo } from './stage.ts';

const schema = {
  type: 'object',
  required: ['title'],
  properties: {
    title: { type: 'string' },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 3 },
    people: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, age: { type: 'integer' }, password: { type: 'string' } },
      },
    },
    when: { type: 'string', format: 'date-time' },
    deep: { type: 'array', items: { type: 'array' } },
  },
};
const fields = argumentFields(schema);

describe('a list', () => {
  it('a list has a row for each text or flat object, and is JSON where its items are neither', () => {
    expect(fields.map(({ name, kind }) => [name, kind])).toEqual([
      ['title', 'text'],
      ['tags', 'list'],
      ['people', 'list'],
      ['when', 'text'],
      ['deep', 'json'],
    ]);
  });

  it('a list is what its rows hold, in their order, without those that are blank', () => {
    const draft = draftOf([
      ['f0', 'T'],
      ['f1.rows', '4'],
      ['f1.rows', '0'],
      ['f1.rows', '7'],
      ['f1.4.f0', 'last'],
      ['f1.0.f0', 'first'],
      ['f1.7.f0', ''],
      ['f2.rows', '0'],
      ['f2.rows', '1'],
      ['f2.0.f0', 'Ada'],
      ['f2.0.f1', '36'],
      ['f2.1.f0', ''],
      ['f2.1.f1', ''],
      ['f1.9.f0', 'of no row'],
    ]);
    const { content, issues } = contentOf(fields, draft);
    expect(issues).toEqual([]);
    expect(content).toEqual({ title: 'T', tags: ['last', 'first'], people: [{ name: 'Ada', age: 36 }] });
    expect(contentOf(fields, draftFrom(fields, content, 'UTC')).content).toEqual(content);
  });
});

describe('arguments as JSON', () => {
  const full = { title: 'T', tags: ['a', 'b'], people: [{ name: 'Ada' }], when: '2026-07-01T10:00:00Z', deep: [[1]] };

  it('arguments as JSON come from a form and go back to it', () => {
    const { draft } = toJson(fields, draftFrom(fields, full, 'UTC'));
    expect(isJson(draft)).toBe(true);
    expect(readJson(draft, schema)).toEqual({ content: full, issues: [] });
    const back = toForm(fields, draft, 'UTC');
    expect([back.issues, contentOf(fields, back.draft).content]).toEqual([[], full]);
  });

  it.each([
    ['a member that the form has no field for', { title: 'T', more: 1 }, 'more'],
    ['a value of another type', { title: 5 }, 'title'],
    ['a row with more in it', { title: 'T', people: [{ name: 'Ada', of: 'Lovelace' }] }, 'people'],
    ['an empty text in a list', { title: 'T', tags: ['a', ''] }, 'tags'],
  ])(
    'json-arguments-J1: arguments as JSON stay JSON with %s, and say why; a call with it is filled in as JSON again',
    (_, content, name) => {
      const draft = draftOf([
        ['as', 'json'],
        ['json', JSON.stringify(content)],
      ]);
      const { draft: left, issues } = toForm(fields, draft, 'UTC');
      expect(left).toBe(draft);
      expect(issues[0]!.message).toContain(`“${name}”`);
      const again = fittingDraft(fields, content, 'UTC');
      expect([isJson(again), JSON.parse(again.get('json')![0]!)]).toEqual([true, content]);
    },
  );

  it('json-arguments-J2: arguments as JSON hold a mask for each secret, which is not sent', () => {
    const content = { title: 'T', people: [{ name: 'Ada', password: 'sesame-4711' }] };
    const { draft } = toJson(fields, draftFrom(fields, content, 'UTC'));
    expect(draft.get('json')![0]).not.toContain('sesame-4711');
    expect(draft.get('json')![0]).toContain('"Ada"');
    expect(readJson(draft, schema).issues[0]!.message).toMatch(/“people” again/);
  });

  it('arguments as JSON say which secret has to be typed again where they become a form', () => {
    const own = argumentFields({
      type: 'object',
      properties: { city: { type: 'string' }, api_key: { type: 'string' } },
    });
    const draft = draftOf([['json', '{"city":"Rome","api_key":"sesame-4712"}']]);
    expect(toForm(own, draft, 'UTC').issues).toEqual([
      { field: 'api_key', rule: 'secret', message: expect.stringContaining('Enter this secret again') },
    ]);
    expect(toForm(own, draftOf([['json', '{"city":"Rome"}']]), 'UTC').issues).toEqual([]);
  });

  it('arguments as JSON that cannot be read get an error that says what is wrong with them', () => {
    const wrong = (json: string) => readJson(draftOf([['json', json]]), schema).issues.map(({ message }) => message);
    expect(wrong('{"title":')[0]).toMatch(/^This cannot be read as JSON/);
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(wrong(`{"deep":${deep}}`)[0]).toContain('nests more than 256 levels');
    expect(contentOf(fields, draftOf([[`f${fields.findIndex(({ name }) => name === 'deep')}`, deep]])).issues).toEqual([
      { field: 'deep', rule: 'json', message: expect.stringContaining('nests more than 256 levels') },
    ]);
    expect(wrong('[1]')[0]).toMatch(/must be one JSON object/);
    expect(wrong('{"title": 5}')[0]).toMatch(/^At title: /);
    expect(wrong('{"title": "T", "more": 1}')).toEqual([]);
  });
});

describe('earlier values', () => {
  const call = (args: Record<string, unknown>, more: Partial<CallView> = {}): CallView => ({
    context: { id: 'c', kind: 'tool', name: 'add', arguments: args },
    serverId: 's',
    startedAt: 0,
    here: true,
    items: [],
    ...more,
  });
  const add = { serverId: 's', kind: 'tool', name: 'add' } as const;

  it('earlier values are those of this tool, each once, newest first, and never a secret', () => {
    const own = argumentFields({ properties: { title: {}, tags: {}, password: {}, n: {} } });
    const given = [
      call({ title: 'new', tags: ['a'], password: 'sesame-4712', n: 3 }),
      call({ title: 'old', tags: ['b', 'a'] }, { earlier: true }),
      call({ title: 'new' }),
      call({ title: '4111 1111 1111 1111' }),
      call({ title: 'x'.repeat(300) }),
      call({ title: 'of a host' }, { here: false }),
      call({ title: 'elsewhere' }, { serverId: 't' }),
    ];
    const values = earlierValues(given, add, own);
    expect([values.get('title'), values.get('tags'), values.get('n')]).toEqual([['new', 'old'], ['a', 'b'], ['3']]);
    expect(JSON.stringify([...values])).not.toContain('sesame-4712');
  });
});

describe('on the desk', async () => {
  const on = await stageOfFile();
  const me = await enter(on.desk);
  beforeAll(async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'midcall-arguments-')), 'server.mjs');
    writeFileSync(
      file,
      `import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const reply = result => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  if (method === 'initialize') reply({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'lists', version: '1' } });
  else if (method === 'tools/list') reply({ tools: [{ name: 'add', inputSchema: ${JSON.stringify(schema)} }] });
  else if (method === 'tools/call') reply({ content: [{ type: 'text', text: JSON.stringify(params.arguments) }] });
  else if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }) + '\\n');
}`,
    );
    const target = { kind: 'command' as const, command: process.execPath, args: [file] };
    await on.desk.workspace.servers.add({ id: 'lists', target });
    await whenSo(on.desk, () => on.desk.workspace.servers.get('lists')?.tools[0]);
  });

  it('a form becomes JSON, is run as JSON, and is filled in again with its values offered', async () => {
    const path = '/servers/lists/tools/add';
    const form = await me.post(`${path}/check`, { f0: 'Report', 'f1.rows': '0', 'f1.0.f0': 'urgent', to: 'json' });
    expect(form.text).toMatch(/<textarea[^>]*name="json"[^>]*>\s*\{\s*&quot;title&quot;: &quot;Report&quot;/);
    const wrong = await me.post(path, { as: 'json', json: '{"title": 1}' });
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('At title: ')]);
    const run = await me.post(path, { as: 'json', json: '{"title":"Report","tags":["urgent"]}' });
    const [call] = on.desk.workspace.calls.list();
    expect([run.headers['location'], call!.context.arguments]).toEqual([
      `/calls/${call!.context.id}`,
      { title: 'Report', tags: ['urgent'] },
    ]);
    const again = (await me.get(`${path}?from=${call!.context.id}`)).text;
    expect(again).toMatch(/name="f1\.0\.f0"[^>]*value="urgent"/);
    expect(again).toMatch(/name="f1\.rows" value="1"/);
    expect(again).toContain('<option value="Report"></option>');
    expect((await me.get(path)).text).toContain('<option value="urgent"></option>');
  });
});
