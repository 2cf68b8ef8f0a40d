/** What servers say about themselves that is not what the protocol has there. */
import { describe, expect, it } from 'vitest';
import { Introduction } from '../../../packages/host/src/sdk-seam/introduction.ts';

type Json = Readonly<Record<string, unknown>>;

/** What the SDK is given of an introduction, and what is read of it. */
function introduced(result: Json) {
  const introduction = new Introduction();
  void introduction.outgoing({ id: 1, method: 'initialize' }, async () => {});
  let given: unknown;
  introduction.incoming({ jsonrpc: '2.0', id: 1, result }, message => {
    given = message['result'];
  });
  const { capabilities, implementation } = introduction;
  return { given, capabilities, implementation };
}

const serverInfo = { name: 'p', version: '1', 'example.org/build': 7 };
const whole = { protocolVersion: '2025-11-25', capabilities: { tools: { 'x.y/z': 1 } }, serverInfo };
const discovered = { supportedVersions: ['2026-07-28'], capabilities: {}, ttlMs: 0, cacheScope: 'private' };

describe('an introduction', () => {
  it.each<[string, Json]>([
    ['initialize', { ...whole, instructions: 'Hello', 'example.org/more': [1] }],
    ['server/discover', { ...discovered, resultType: 'complete', _meta: { 'a.b/c': 1 } }],
    ['a revision that is none', { ...whole, protocolVersion: 5, serverInfo: null }],
  ])('an introduction of %s is given to the SDK unchanged', (_, result) => {
    expect(introduced(result).given).toEqual(result);
  });

  it.each<[string, Json, Json]>([
    ['without a version', { serverInfo: { name: 'p' } }, { serverInfo: { name: 'p', version: '' } }],
    ['with numbers as names', { serverInfo: { name: 5, version: 1.5 } }, { serverInfo: { name: '5', version: '1.5' } }],
    ['without a name', { serverInfo: undefined }, { serverInfo: { name: '', version: '' } }],
    ['with null for what it leaves out', { instructions: null, _meta: null }, {}],
    ['with icons that are none', { serverInfo: { ...serverInfo, title: null, icons: [{ src: 5 }] } }, {}],
    ['without capabilities', { capabilities: null }, { capabilities: {} }],
    [
      'with odd capabilities',
      { capabilities: { ...whole.capabilities, prompts: true, logging: null, completions: false } },
      { capabilities: { ...whole.capabilities, prompts: {} } },
    ],
  ])('an introduction %s is read without what is wrong with it', (_, odd, mended) => {
    const { given, ...read } = introduced({ ...whole, ...odd });
    const { capabilities, serverInfo: implementation } = { ...whole, ...mended };
    expect(given).toEqual({ ...whole, ...mended });
    expect(read).toEqual({ capabilities, implementation });
  });

  it('an introduction on 2026-07-28 is read in the same way', () => {
    const { given } = introduced({ ...discovered, capabilities: null, instructions: 5, _meta: null });
    expect(given).toEqual(discovered);
  });
});
