/** The desk's page of folders: offered, withdrawn, granted per server, and what became of them. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandTarget, detectWorkspace } from '@midcall/host';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { enter, visit } from './client.ts';
import { type Stage, stage } from './stage.ts';

let on: Stage;
let visitor: Awaited<ReturnType<typeof enter>>;
const made: string[] = [];
const folder = (): string => {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'midcall-folder-')));
  made.push(path);
  return path;
};
beforeEach(async () => {
  on = await stage();
  visitor = await enter(on.desk);
});
afterEach(async () => {
  await on[Symbol.asyncDispose]();
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
});

describe('the folders', () => {
  it('roots-38: the folders are offered, granted per server, shown with who was told, and withdrawn', async () => {
    const [a, b] = [folder(), folder()];
    for (const path of [a, b]) expect((await visitor.post('/roots', { path, name: '' })).status).toBe(303);
    await on.desk.workspace.servers
      .add({ id: 'tasks', target: commandTarget([process.execPath, '--eval', '']) })
      .catch(() => {});
    const [first, second] = on.roots.list();
    await visitor.post('/roots/grant', { server: 'tasks', uri: first!.uri });
    expect(on.roots.granted('tasks')).toEqual([{ uri: first!.uri, name: first!.name }]);
    const page = (await visitor.get('/roots')).text;
    for (const path of [a, b]) expect(page).toContain(path);
    const box = (uri: string) => new RegExp(`<input type="checkbox"[^>]*value="${uri}"[^>]*>`).exec(page)?.[0];
    expect(box(first!.uri)).toMatch(/checked/);
    expect(box(second!.uri)).not.toMatch(/checked/);
    await visitor.post('/roots/remove', { uri: first!.uri });
    expect([on.roots.list().map(root => root.path), on.roots.granted('tasks')]).toEqual([[b], []]);
    expect(on.audit.entries({ search: 'withdrawn' })).toHaveLength(1);
  });

  it('roots-07: the workspace that the desk was started in is proposed as a folder, which the person makes or leaves', async () => {
    const workspace = folder();
    mkdirSync(join(workspace, '.git'));
    mkdirSync(join(workspace, 'src'));
    const found = await detectWorkspace(join(workspace, 'src'));
    await using proposing = await stage({ ...(found && { proposedRoot: found.path }) });
    const person = await enter(proposing.desk);
    const typed = async () =>
      /<input[^>]*id="root-path"[^>]*value="([^"]*)"/.exec((await person.get('/roots')).text)?.[1];
    expect([await typed(), proposing.roots.list()]).toEqual([workspace, []]);
    await person.post('/roots', { path: workspace, name: '' });
    expect([await typed(), proposing.roots.list().map(root => root.path)]).toEqual(['', [workspace]]);
  });

  it('roots-39: the folders are refused where nothing is there, and flagged once they are gone', async () => {
    const none = await visitor.post('/roots', { path: join(tmpdir(), 'midcall-nothing-here'), name: '' });
    expect([none.status, none.text.includes('There is no directory at')]).toEqual([422, true]);
    const path = folder();
    await visitor.post('/roots', { path, name: 'work' });
    expect((await visitor.get('/roots')).text).not.toContain('chip-failed');
    rmSync(path, { recursive: true });
    await on.roots.look();
    expect((await visitor.get('/roots')).text).toContain('chip-failed');
  });

  it('the folders may be named from the person’s own folder by ~', async () => {
    const home = folder();
    mkdirSync(join(home, 'notes'));
    vi.stubEnv('HOME', home);
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const path of ['~/notes', '~']) expect((await visitor.post('/roots', { path, name: '' })).status).toBe(303);
    expect(on.roots.list().map(root => root.path)).toEqual([join(home, 'notes'), home]);
    expect((await visitor.post('/roots', { path: '~other/notes', name: '' })).status).toBe(422);
  });

  it('the folders stand in one table with all servers, one box for each of both', async () => {
    const paths = [folder(), folder()];
    for (const path of paths) await on.roots.add(path);
    for (const id of ['one', 'two'])
      await on.desk.workspace.servers
        .add({ id, target: commandTarget([process.execPath, '--eval', '']) })
        .catch(() => {});
    const { text } = await visitor.get('/roots');
    expect(text.match(/<input type="checkbox"[^>]*form="grant-(?:one|two)"/g)).toHaveLength(4);
    expect(text.match(/<table>/g)).toHaveLength(1);
  });

  it('roots-32: the folders change by the person’s own hand only', async () => {
    const path = folder();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams({ path, name: '' }).toString();
    for (const more of [{}, { cookie: visitor.cookie }, { cookie: visitor.cookie, origin: 'http://evil.example' }])
      expect(
        (await visit(on.desk, '/roots', { method: 'POST', headers: { ...headers, ...more }, body })).status,
      ).toBeGreaterThanOrEqual(400);
    expect(on.roots.list()).toEqual([]);
  });
});
