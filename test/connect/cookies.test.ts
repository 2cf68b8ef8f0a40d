/**
 * Cookies of 127.0.0.1 are those of every port: another local server reads ours when the browser visits it, and may set
 * its own beside them or in their place.
 */
import { confirm } from '@midcall/server/connect';
import { describe, expect, it } from 'vitest';
import { pageDigest } from '../../packages/server/src/connect/page-records.ts';
import { fixture, told } from './fixture.ts';
import { codeIn, visitor } from './visitor.ts';

const served = () =>
  fixture({
    era: '2025-11-25',
    handler: async call => told(await call.elicitUrl({ message: 'Sure?', page: confirm() })),
  });

/** A page that waits for its code, on a server that may have others. @param count - which of its pages this is */
async function opened(made?: Awaited<ReturnType<typeof served>>, count = 1) {
  made ??= await served();
  const result = made.call({ folder: 'work' });
  const { params } = await made.whenAsked(count);
  const url = params['url'] as string;
  const person = visitor(url);
  const enter = () => person.send({ do: 'code', code: codeIn(params['message'] as string) });
  const [ours] = await person.get().then(() => [...person.cookies.keys()]);
  return { ...made, result, url, person, enter, ours: ours! };
}
const header = (cookies: ReadonlyMap<string, string>) => [...cookies].map(each => each.join('=')).join('; ');

describe('a neighbour on another port', () => {
  it('visit-V5: a neighbour on another port who is sent our cookie learns neither link nor call from it, and gets nothing with it', async () => {
    const { person, enter, url, result } = await opened();
    await enter();
    const cookie = header(person.cookies);
    const pageId = new URL(url).pathname.split('/').at(-1)!;
    expect(cookie).not.toContain(pageId);
    expect(cookie).not.toContain('work');
    for (const guess of [pageDigest(pageId), [...person.cookies.keys()][0]!.slice(-12), 'x'.repeat(32), '']) {
      const look = await fetch(new URL(`/connect/${guess}`, url), { headers: { cookie } });
      expect(look.status).toBe(404);
      expect(await look.text()).not.toContain('Sure?');
    }
    await person.send({});
    expect(await result).toContain('accept');
  });

  it('visit-V5: a neighbour on another port who plants cookies of our name, before ours or behind, neither opens a page nor closes it', async () => {
    const { person, enter, url, ours, result } = await opened();
    const unchecked = person.cookies.get(ours)!;
    await enter();
    const checked = person.cookies.get(ours)!;
    expect(checked).not.toBe(unchecked);
    const junk = [`${ours}=`, `${ours}=m1.AAAA`, `${ours}=${'x'.repeat(500)}`, `${ours}=${checked.slice(0, -1)}`];
    const shown = async (...cookies: string[]) =>
      /<h1[^>]*>([^<]*)/.exec(await (await fetch(url, { headers: { cookie: cookies.join('; ') } })).text())?.[1];
    expect(await shown(...junk)).toBe('Enter your code');
    expect(await shown(...junk, `${ours}=${unchecked}`)).toBe('Enter your code');
    for (const all of [
      [...junk, `${ours}=${checked}`],
      [`${ours}=${checked}`, ...junk],
      [`${ours}=${unchecked}`, `${ours}=${checked}`],
      [`${ours}=${checked}`, `${ours}=${unchecked}`],
    ]) {
      expect(await shown(...all)).toBe('Allow this call?');
    }
    const planted = `${ours}=${unchecked}; ${junk.join('; ')}; ${ours}=${checked}`;
    await person.get(url, { cookie: planted });
    expect((await person.send({}, { headers: { cookie: planted } })).title).toBe('This is done');
    expect(await result).toContain('accept');
  });

  it('visit-V3: the cookie of one page, code and all, counts for nothing at another', async () => {
    const server = await served();
    const [first, second] = [await opened(server), await opened(server, 2)];
    // The one name a cookie of the second page may have, with what the first page's browser was given for its code.
    await first.enter();
    const checked = first.person.cookies.get(first.ours)!;
    const planted = { cookie: `${second.ours}=${checked}` };
    expect((await second.person.get(second.url, planted)).title).toBe('Enter your code');
    // With the token that the browser of the first page was shown.
    const shown = (await first.person.get()).text;
    const token = /name="form-token" value="([^"]*)"/.exec(shown)![1]!;
    const forge = { headers: planted, fields: { 'form-token': token } };
    expect((await second.person.send({}, forge)).title).toBe('This form was not accepted');
    expect((await second.person.get()).title).toBe('Enter your code');
    await second.enter();
    await second.person.send({});
    expect(await second.result).toContain('accept');
    await first.person.get();
    await first.person.send({});
    expect(await first.result).toContain('accept');
  });

  it('visit-V5: a neighbour on another port who takes or overwrites our cookie costs the person the code once more, and no more', async () => {
    const { person, enter, ours, result } = await opened();
    await enter();
    person.cookies.set(ours, 'overwritten');
    expect((await person.send({})).title).toBe('This form was not accepted');
    expect((await person.get()).title).toBe('Enter your code');
    expect((await enter()).title).toBe('Allow this call?');
    await person.send({});
    expect(await result).toContain('accept');
  });

  it('page-server-P4: a neighbour on another port whose cookies are many and long does not keep the person out', async () => {
    const { person, enter, url, ours, result } = await opened();
    const others = Array.from({ length: 25 }, (_, n) => `other-${n}=${'x'.repeat(4_000)}`).join('; ');
    const look = await person.get(url, { cookie: `${others}; ${header(person.cookies)}` });
    expect(look.status).toBe(200);
    await enter();
    await person.send({}, { headers: { cookie: `${others}; ${ours}=${person.cookies.get(ours)}` } });
    expect(await result).toContain('accept');
  });
});

it.each(['send', 'decline'])('visit-V5: a cookie goes with its page, by %s', async how => {
  const { person, enter, url, ours, result } = await opened();
  await enter();
  const { headers } = await fetch(url, { headers: { cookie: header(person.cookies) } });
  expect(headers.getSetCookie()).toEqual([]);
  await person.send({ do: how });
  expect(person.cookies.get(ours)).toBe('');
  await result;
});
