import type { SamplingContent, SamplingResult } from '@midcall/core/sampling';
import { expect, it } from 'vitest';
import { singleBlock } from '../../../packages/host/src/sampling/flow.ts';

const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' } as const;
const text = (value: string) => ({ type: 'text', text: value }) as const;
const result = (content: SamplingContent | readonly SamplingContent[]): SamplingResult => ({
  role: 'assistant',
  content,
  model: 'm',
  stopReason: 'endTurn',
});

it.each<[string, Parameters<typeof result>[0], SamplingContent]>([
  ['one block as it is', image, image],
  ['the text of text and media', [text('A'), image, text('B')], text('A\nB')],
  ['the first of media alone', [image, { ...image, data: 'aG8=' }], image],
  ['an empty text for nothing', [], text('')],
])('a reply is handed over as one block: %s', (_, content, expected) => {
  expect(singleBlock(result(content))).toEqual(result(expected));
});
