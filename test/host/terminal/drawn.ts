/** A terminal in this process, and a person who types in it. */
import { PassThrough } from 'node:stream';
import type { FormQuestion } from '@midcall/host';
import { Terminal } from '@midcall/host/terminal';
import { onTestFinished } from 'vitest';
import { grown } from '../../fixtures/grown.ts';

/** @param plain - true for plain lines; drawn if absent */
export function drawn(plain = false) {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 120 });
  const parts: string[] = [];
  output.on('data', part => parts.push(String(part)));
  const terminal = new Terminal({ input, output, plain, environment: {} });
  onTestFinished(() => terminal.close());
  let from = 0;
  return {
    terminal,
    input,
    written: () => parts.join(''),
    type: (...chunks: readonly string[]) => {
      for (const chunk of chunks) input.write(chunk);
    },
    /** Waits for a text that was written since the last one. */
    async until(text: string) {
      await grown(parts, () => parts.join('').includes(text, from));
      from = parts.join('').indexOf(text, from) + text.length;
    },
  };
}

/** A form with these fields. */
export const letterWith = (fields: FormQuestion['fields']): FormQuestion => ({
  kind: 'form',
  id: 'q1',
  asker: { id: 'post', name: 'post', origin: 'node post.mjs', era: '2026-07-28' },
  askedAt: 0,
  message: 'What shall it say?',
  fields,
});
