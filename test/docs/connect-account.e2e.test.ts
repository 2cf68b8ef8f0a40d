/** Runs the code of docs/connect.md that connects an account and takes settings, against a real authorization server. */
import { randomBytes } from 'node:crypto';
import { connectPair, eras, scriptedPerson } from '@midcall/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { librarian } from '../../examples/docs/connect-account.ts';
import { type AuthorizationServer, startAuthorizationServer } from '../../examples/import/authorization-server.ts';
import { type NotesApi, startNotesApi } from '../../examples/import/notes-api.ts';
import { Browser } from '../connect/sign-in-flow.ts';
import { codeIn, visitor } from '../connect/visitor.ts';
import { few } from '../fixtures/soak.ts';
import { clientSecret, registeredClient } from '../notes/registered-client.ts';

let quill: AuthorizationServer;
let api: NotesApi;

beforeAll(async () => {
  quill = await startAuthorizationServer({
    clients: [
      registeredClient('library', ['/connect/callback/quill']),
      registeredClient('notes-api', [], { response_types: [], grant_types: [] }),
    ],
    scopes: ['notes.read', 'labels.read'],
    person: 'ada',
  });
  const notes = { ada: [{ id: '1', title: 'Groceries', text: 'Milk' }] };
  api = await startNotesApi({ issuer: quill.issuer, clientId: 'notes-api', clientSecret, notes });
});
afterAll(() => Promise.all([quill?.close(), api?.close()]));

describe.each(few(eras, '2026-07-28'))('%s', era => {
  const started = async () => {
    const { factory, pages, saved } = librarian({
      key: randomBytes(32).toString('base64'),
      issuer: quill.issuer,
      clientSecret,
      api: api.address,
      reach: { kind: 'here', browser: false },
    });
    const person = scriptedPerson([{ action: 'accept' }], { repeat: true });
    const pair = await connectPair(factory, { era, person, capabilities: { elicitation: { url: {} } } });
    onTestFinished(async () => {
      await pair.close();
      await pages.close();
    });
    const call = async (name: string) =>
      ((await pair.client.callTool({ name, arguments: {} })).content[0] as { text: string }).text;
    const asked = async (count: number) => {
      const { params } = await person.whenAsked(count);
      return { url: params['url'] as string, code: codeIn(params['message'] as string) };
    };
    return { call, asked, person, saved };
  };

  it('the documented server connects an account once, uses it, and forgets it', async () => {
    const { call, asked, person } = await started();
    const first = call('import');
    const { url, code } = await asked(1);
    const browser = new Browser();
    await browser.submit(url, { do: 'code', code });
    const leaving = await (await browser.submit(url)).text();
    const away = /<a href="([^"]+)" rel="noreferrer">Continue/u.exec(leaving)![1]!.replaceAll('&amp;', '&');
    await browser.follow(away);
    expect(await first).toBe('Imported Groceries.');
    expect(await call('import')).toBe('Imported Groceries.');
    expect(person.asked).toHaveLength(1);
    expect(await call('disconnect')).toBe('revoked');
    expect(await call('disconnect')).toBe('nothing');
  });

  it('the documented server tells what was not allowed, and never asks for it again by itself', async () => {
    const { call, asked, person } = await started();
    quill.state.refused = ['labels.read'];
    onTestFinished(() => {
      quill.state.refused = [];
    });
    const first = call('import');
    const { url, code } = await asked(1);
    const browser = new Browser();
    await browser.submit(url, { do: 'code', code });
    const leaving = await (await browser.submit(url)).text();
    const away = /<a href="([^"]+)" rel="noreferrer">Continue/u.exec(leaving)![1]!.replaceAll('&amp;', '&');
    await browser.follow(away);
    await browser.submit(url, { next: 'without' });
    expect(await first).toContain('‘labels.read’');
    for (let again = 0; again < 3; again++) expect(await call('import')).toContain('‘labels.read’');
    expect(person.asked).toHaveLength(1);
    await call('disconnect');
    void call('import').catch(() => {});
    await asked(2);
  });

  it('the documented server checks and saves settings on their page', async () => {
    const { call, asked, saved } = await started();
    const result = call('set_up');
    const { url, code } = await asked(1);
    const person = visitor(url);
    await person.get();
    await person.send({ do: 'code', code });
    expect((await person.send({ folder: '../up', daily: 'true' })).text).toContain('Name a folder inside the library.');
    expect(saved.size).toBe(0);
    await person.send({ folder: 'notes', daily: 'true' });
    expect(await result).toBe('In notes.');
    expect([...saved.values()]).toEqual([{ folder: 'notes', daily: true }]);
  });
});
