/** What docs/connect.md shows, run. */
import type { Keeper } from '@midcall/server/connect';
import { connectPair, eras, scriptedPerson } from '@midcall/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { documented } from './documented.ts';
import { pastCode } from './visitor.ts';

describe.each(eras)('%s', era => {
  it.each([
    ['forecast', { place: 'Bergen' }, { secret: 'sk-canary-123' }, 'Bergen: fine (13 characters of key)'],
    ['wipe', { folder: 'old' }, {}, 'Wiped old.'],
    ['plan', {}, { kind: 'private', 'people.0.name': 'Ada' }, 'Planned for Ada.'],
  ] as const)('the documented tool %s is answered on a page', async (name, args, fields, expected) => {
    const kept = new Map<string, string>();
    const vault: Keeper = {
      put: async (owner, at, value) => void kept.set(owner.subject + at, value),
      get: async (owner, at) => kept.get(owner.subject + at),
      forget: async (owner, at) => void kept.delete(owner.subject + at),
    };
    const { factory, own } = documented(vault, { kind: 'here', browser: false });
    const person = scriptedPerson([{ action: 'accept' }]);
    const pair = await connectPair(factory, { era, person, capabilities: { elicitation: { url: {} } } });
    onTestFinished(async () => {
      await pair.close();
      await own.close();
    });
    const result = pair.client.callTool({ name, arguments: args });
    const who = await pastCode(await person.whenAsked(1));
    await who.send(fields);
    expect(((await result).content[0] as { text: string }).text).toBe(expected);
  });
});
