import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyRing } from '../../../packages/server/src/state/keys.ts';
import { createSealer } from '../../../packages/server/src/state/seal.ts';

const oldKey = randomBytes(32);
const newKey = randomBytes(32);
const ring = keyRing(newKey);
const sealer = createSealer(ring);
const PURPOSE = 'request-state';
const journal = { principal: 'ann', tool: 'notes_delete', answers: [{ note_id: 'n2', confirm: true }], nonce: 'q7' };
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const body = (text: string) => Buffer.from(text.slice(3), 'base64url');
const refused = (text: unknown, purpose = PURPOSE) => sealer.open(text, purpose);

describe('a sealed value', () => {
  it('a sealed value opens to the same JSON, whatever the JSON is', { tags: 'thorough' }, () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), value => {
        const plain = JSON.parse(JSON.stringify(value));
        expect(sealer.open(sealer.seal(value, PURPOSE), PURPOSE)).toEqual({ ok: true, payload: plain });
      }),
      { numRuns: 300 },
    );
  });

  it('a sealed value keeps a key called __proto__ a plain key', () => {
    const opened = sealer.open(sealer.seal(JSON.parse('{"__proto__":{"admin":true}}'), PURPOSE), PURPOSE);
    expect(opened.ok && Object.hasOwn(opened.payload as object, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });

  it('elicit-33: a sealed value shows nothing of the value, and is never spelled twice the same', () => {
    const texts = Array.from({ length: 200 }, () => sealer.seal(journal, PURPOSE));
    expect(new Set(texts).size).toBe(200);
    expect(new Set(texts.map(text => body(text).toString('hex', 6, 30))).size).toBe(200);
    for (const word of ['notes_delete', 'principal', 'answers', 'note_id', 'confirm'])
      expect(body(texts[0]!).includes(word)).toBe(false);
  });

  it('seal-E5: a sealed value is as long as its value, repetitive or not', () => {
    const one = sealer.seal('a'.repeat(3_000), PURPOSE);
    const other = sealer.seal(randomBytes(1_500).toString('hex'), PURPOSE);
    expect(one.length).toBe(other.length);
  });

  it('a sealed value opens in another process with the same key', () => {
    const elsewhere = createSealer(keyRing(Buffer.from(newKey).toString('hex')));
    expect(elsewhere.open(sealer.seal(journal, PURPOSE), PURPOSE)).toEqual({ ok: true, payload: journal });
  });
});

describe('an attack on a sealed value', () => {
  it('seal-E1: every single-bit flip is refused', () => {
    const bytes = body(sealer.seal(journal, PURPOSE));
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      const expected = bit < 48 ? 'unknown-key' : 'tampered';
      expect(refused(`m1.${flipped.toString('base64url')}`)).toEqual({ ok: false, reason: expected });
    }
  });

  it('seal-E1: every single-bit flip of the text itself is refused', () => {
    const text = sealer.seal(journal, PURPOSE);
    for (let index = 0; index < text.length; index++) {
      for (let bit = 0; bit < 16; bit++) {
        const swapped = String.fromCharCode(text.charCodeAt(index) ^ (1 << bit));
        expect(refused(text.slice(0, index) + swapped + text.slice(index + 1)).ok).toBe(false);
      }
    }
  });

  it('seal-E1: a sealed value does not open for another purpose', () => {
    const ticket = sealer.seal(journal, 'ticket');
    for (const purpose of ['request-state', 'vault', 'ticket ', 'Ticket', 'ticket\0']) {
      expect(refused(ticket, purpose)).toEqual({ ok: false, reason: 'tampered' });
    }
  });

  it('seal-E1: a sealed value opens at no other place, nor at none, and a place makes it no longer', () => {
    const place = `task:${'x'.repeat(40)}`;
    const text = sealer.seal(journal, PURPOSE, place);
    expect(sealer.open(text, PURPOSE, place)).toEqual({ ok: true, payload: journal });
    expect(text).toHaveLength(sealer.seal(journal, PURPOSE).length);
    for (const other of [undefined, '', 'task:', `${place} `]) {
      expect(sealer.open(text, PURPOSE, other)).toEqual({ ok: false, reason: 'tampered' });
    }
    expect(sealer.open(sealer.seal(journal, PURPOSE), PURPOSE, place)).toEqual({ ok: false, reason: 'tampered' });
  });

  it('seal-E1: a sealed value does not open with another key, also under the same key id', () => {
    const bytes = body(createSealer(keyRing(oldKey)).seal(journal, PURPOSE));
    expect(refused(`m1.${bytes.toString('base64url')}`)).toEqual({ ok: false, reason: 'unknown-key' });
    Buffer.from(ring.keys[0]!.id, 'base64url').copy(bytes);
    expect(refused(`m1.${bytes.toString('base64url')}`)).toEqual({ ok: false, reason: 'tampered' });
  });

  it('seal-E1: parts of two sealed values do not make a third', () => {
    const a = body(sealer.seal({ amount: 1 }, PURPOSE));
    const b = body(sealer.seal({ amount: 2 }, PURPOSE));
    for (const cut of [6, 18, 30, a.length - 16]) {
      const mixed = Buffer.concat([a.subarray(0, cut), b.subarray(cut)]);
      expect(refused(`m1.${mixed.toString('base64url')}`).ok).toBe(mixed.equals(b));
    }
  });

  it('seal-E1: a sealed value is refused if it is truncated anywhere, or has anything after it', () => {
    const text = sealer.seal(journal, PURPOSE);
    for (let length = 0; length < text.length; length++) expect(refused(text.slice(0, length)).ok).toBe(false);
    for (const tail of ['A', 'AA', 'AAA', 'AAAA', '=', '.', '\0', '\n', text])
      expect(refused(text + tail).ok).toBe(false);
  });

  it('seal-E2: every other spelling of the same bytes of a sealed value is refused', () => {
    // Lengths 0, 1 and 2 over a multiple of three: no spare bits, four, two.
    for (const filler of ['', 'x', 'xx']) {
      const text = sealer.seal(filler, PURPOSE);
      const spelled = text.slice(3);
      const spellings = [
        `${text}=`,
        `${text}==`,
        ` ${text}`,
        `${text}\n`,
        `${text} `,
        `m1.${spelled.slice(0, 20)}\n${spelled.slice(20)}`,
        `m1.${spelled.slice(0, 20)} ${spelled.slice(20)}`,
        `m1.${spelled.slice(0, 20)}!${spelled.slice(20)}`,
        `M1.${spelled}`,
        `m1${spelled}`,
        `m1..${spelled}`,
        `m01.${spelled}`,
        `m2.${spelled}`,
        spelled,
        `\u{feff}${text}`,
        `${text}\0`,
        text.replace('m', '\uff4d'),
        text.replace('.', '%2E'),
      ];
      const standard = spelled.replaceAll('-', '+').replaceAll('_', '/');
      if (standard !== spelled) spellings.push(`m1.${standard}`);
      const last = spelled.at(-1)!;
      for (const character of alphabet) {
        const respelled = spelled.slice(0, -1) + character;
        if (character !== last && Buffer.from(respelled, 'base64url').equals(body(text)))
          spellings.push(`m1.${respelled}`);
      }
      for (const spelling of spellings) expect(refused(spelling)).toEqual({ ok: false, reason: 'malformed' });
      expect(refused(text).ok).toBe(true);
    }
  });

  it('seal-E2: the standard alphabet of base64 is refused wherever it differs', () => {
    let seen = 0;
    while (seen < 20) {
      const text = sealer.seal(journal, PURPOSE);
      const standard = text.replaceAll('-', '+').replaceAll('_', '/');
      if (standard === text) continue;
      seen++;
      expect(refused(standard)).toEqual({ ok: false, reason: 'malformed' });
    }
  });

  it('mrtr-26; seal-E3: a sealed value that is empty, huge or no text at all is malformed', () => {
    const huge = `m1.${'A'.repeat(50_000_000)}`;
    const things = ['', 'm1.', 'm1.AAAA', huge, undefined, null, 0, 1n, true, {}, [], Symbol('m1.'), () => 'm1.'];
    for (const thing of things) expect(refused(thing)).toEqual({ ok: false, reason: 'malformed' });
    const boxed = new String(sealer.seal(journal, PURPOSE));
    expect(refused(boxed)).toEqual({ ok: false, reason: 'malformed' });
  });

  it('seal-E1: random texts never open as sealed values', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 0, maxLength: 200 }), bytes => {
        expect(refused(`m1.${Buffer.from(bytes).toString('base64url')}`).ok).toBe(false);
      }),
    );
  });
});

describe('key rotation', () => {
  it('the first key seals, and every key of the ring opens', () => {
    const before = createSealer(keyRing(oldKey));
    const during = createSealer(keyRing([newKey, oldKey]));
    const after = createSealer(keyRing(newKey));
    const fromBefore = before.seal(journal, PURPOSE);
    const fromDuring = during.seal(journal, PURPOSE);
    expect(during.open(fromBefore, PURPOSE)).toEqual({ ok: true, payload: journal });
    expect(after.open(fromDuring, PURPOSE)).toEqual({ ok: true, payload: journal });
    expect(before.open(fromDuring, PURPOSE)).toEqual({ ok: false, reason: 'unknown-key' });
    expect(after.open(fromBefore, PURPOSE)).toEqual({ ok: false, reason: 'unknown-key' });
  });
});

describe('a sealer', () => {
  it('a sealer refuses to seal what is longer than it would open, and opens what is exactly as long', () => {
    const length = sealer.seal('x'.repeat(400), PURPOSE).length;
    const exact = createSealer(ring, { maxLength: length });
    expect(exact.open(exact.seal('x'.repeat(400), PURPOSE), PURPOSE).ok).toBe(true);
    const message = expect.stringMatching(/would have \d+ characters; the limit is \d+\. Store less/);
    expect(() => exact.seal('x'.repeat(401), PURPOSE)).toThrow(
      expect.objectContaining({ code: 'state/too-large', message }),
    );
    expect(exact.open(sealer.seal('x'.repeat(401), PURPOSE), PURPOSE)).toEqual({ ok: false, reason: 'malformed' });
  });

  it('seal-E4: a sealer draws a salt once and a nonce for each message', () => {
    const drawn: number[] = [];
    const counted = createSealer(ring, {
      randomBytes(size) {
        drawn.push(size);
        return randomBytes(size);
      },
    });
    const [a, b] = [counted.seal(journal, PURPOSE), counted.seal(journal, PURPOSE)].map(body);
    expect(drawn).toHaveLength(3);
    expect(a!.subarray(6, 18)).toEqual(b!.subarray(6, 18));
    expect(a!.subarray(18, 30)).not.toEqual(b!.subarray(18, 30));
  });

  it('a sealer takes its randomness from outside', () => {
    const fixed = createSealer(ring, { randomBytes: size => new Uint8Array(size) });
    expect(fixed.seal(journal, PURPOSE)).toBe(fixed.seal(journal, PURPOSE));
    const short = createSealer(ring, { randomBytes: () => new Uint8Array(3) });
    expect(() => short.seal(journal, PURPOSE)).toThrow('randomBytes returned the wrong number of bytes');
  });

  it('a sealer refuses bad options, an empty purpose and what is not JSON', () => {
    for (const maxLength of [0, -1, 255, 300.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => createSealer(ring, { maxLength })).toThrow(
        'maxLength must be a whole number of characters, 256 or more',
      );
    }
    expect(createSealer(ring, { maxLength: 256 }).seal(1, PURPOSE)).toMatch(/^m1\./);
    expect(() => createSealer({ keys: [], ephemeral: false })).toThrow('the key ring is empty');
    const fresh = createSealer(ring);
    for (const purpose of ['', 5 as never]) {
      expect(() => fresh.seal(journal, purpose)).toThrow('A purpose is a non-empty string.');
      expect(() => fresh.open(sealer.seal(journal, PURPOSE), purpose)).toThrow('A purpose is a non-empty string.');
    }
    for (const value of [undefined, () => 1, Symbol('x')])
      expect(() => sealer.seal(value, PURPOSE)).toThrow('the payload is not a JSON value');
    expect(() => sealer.seal(1n, PURPOSE)).toThrow(TypeError);
  });

  it('a sealer goes on working however many purposes it has seen', () => {
    for (let index = 0; index < 600; index++) sealer.seal(index, `purpose ${index}`);
    expect(sealer.open(sealer.seal(journal, PURPOSE), PURPOSE).ok).toBe(true);
  });

  it('a sealer knows what was sealed with an older key, and nothing else, as outdated', () => {
    const before = createSealer(keyRing(oldKey));
    expect(sealer.outdated(before.seal(journal, PURPOSE))).toBe(true);
    expect(sealer.outdated(sealer.seal(journal, PURPOSE))).toBe(false);
  });

  it('keys-K1: a sealer shows no key', () => {
    const shown = inspect([sealer, ring, ring.keys], { depth: 9, showHidden: true }) + JSON.stringify([sealer, ring]);
    const secret = Buffer.from(newKey);
    for (const spelling of [secret.toString('hex'), secret.toString('base64'), secret.toString('base64url')]) {
      expect(shown).not.toContain(spelling);
    }
    expect(shown).toContain(ring.keys[0]!.id);
  });
});
